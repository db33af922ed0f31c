// How long a person waits for the estimates of a ladder.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "grading/estimates.h"
#include "grading/ladder.h"
#include "scratch.h"

using namespace kata;

namespace {

std::vector<Estimate> estimates_within(double limit_s, const Shape& shape,
                                       const Estimated* yours = nullptr,
                                       const GradeRequest& request = {}) {
  const Result<Chip> chip = find_chip("h200");
  REQUIRE(chip);
  return estimate_ladder(*find_problem("relu"), shape, *chip, yours, limit_s, request);
}

/// A person's relu, compiled.
struct Yours {
  test::Scratch scratch;
  GradeRequest request;
  Estimated compiled;

  /// `body`: of a kernel that has x, y and n, started with one thread.
  explicit Yours(const std::string& body) {
    const std::string text =
        "#include <cuda_runtime.h>\n"
        "__global__ void kernel(const float* x, float* y, int n) {\n" +
        body +
        "}\n"
        "extern \"C\" void relu(const float* x, float* y, int n) {\n"
        "  kernel<<<1, 1>>>(x, y, n);\n"
        "}\n";
    request.candidate = {.path = scratch.write("mine.cu", text), .text = text};
    const Result<Module> module =
        compile({.source = request.candidate.path, .backend = Backend::emulator});
    REQUIRE(module);
    compiled = {RowKind::yours, "yours", *module, "relu"};
  }
};

/// A copy of adamw's ladder. Its fourth rung includes adamw_update.h, the others do not.
struct CopiedLadder {
  const Result<Chip> chip = find_chip("h200");  // before there is another root
  test::Scratch scratch;
  std::filesystem::path folder = scratch / "solutions/adamw";

  CopiedLadder() {
    std::filesystem::create_directories(folder);
    const std::filesystem::path solutions = KATA_SOURCE_DIR "/solutions";
    std::filesystem::copy(solutions / "common", scratch / "solutions/common");
    std::filesystem::copy(solutions / "adamw", folder);
    setenv("KATA_ROOT", scratch.path().c_str(), 1);
  }
  ~CopiedLadder() { unsetenv("KATA_ROOT"); }

  std::vector<std::string> kept() const {
    const Problem& problem = *find_problem("adamw");
    std::vector<std::string> names;
    for (const Estimate& row : kept_estimates(problem, problem.bench_shapes[0], *chip))
      names.push_back(row.name);
    return names;
  }
  std::vector<Estimate> estimated_at_once() const {
    const Problem& problem = *find_problem("adamw");
    return estimate_ladder(problem, problem.bench_shapes[0], *chip, nullptr, 0, {});
  }
  void append(const std::string& file, const std::string& text) const {
    scratch.write("solutions/adamw/" + file, test::content_of(folder / file) + text);
  }
};

}  // namespace

TEST_CASE("when the ladder's time is over, each rung that is still to be profiled says so") {
  const std::vector<Estimate> rows = estimates_within(0, {123457});
  REQUIRE_FALSE(rows.empty());
  for (const Estimate& row : rows) {
    CHECK(row.us == 0);
    CHECK(row.error.find("the time for estimates is over") != std::string::npos);
  }
}

TEST_CASE("yours is estimated first, the rungs from the last to the first") {
  Yours yours("  y[n - 1] = x[n - 1];\n");
  std::vector<std::string> order;
  yours.request.progress = [&](const std::string& what) {
    if (what.starts_with("estimating ")) order.push_back(what.substr(11));
  };
  const std::vector<Estimate> rows = estimates_within(60, {123457}, &yours.compiled, yours.request);
  REQUIRE(rows.size() > 2);
  REQUIRE(order.size() == rows.size());
  CHECK(order.front() == "yours");
  for (std::size_t i = 1; i < rows.size(); ++i) CHECK(order[rows.size() - i] == rows[i].name);
}

TEST_CASE("yours takes none of the ladder's time") {
  const Yours yours("  y[n - 1] = x[n - 1];\n");
  const std::vector<Estimate> rows = estimates_within(0, {123459}, &yours.compiled, yours.request);
  CHECK(rows.front().us > 0);
  CHECK_FALSE(rows.front().pending);
  CHECK(rows.back().us == 0);
  CHECK(rows.back().pending);
}

TEST_CASE("a kernel too slow to estimate says at which size to try, and soon when asked again" *
          doctest::test_suite("slow")) {
  const Yours yours("  while (n > 0) y[0] = x[0];\n");
  const auto try_it = [&] {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<Estimate> rows =
        estimates_within(0, {1 << 24}, &yours.compiled, yours.request);
    CHECK(rows.front().us == 0);
    CHECK(rows.front().error ==
          "the emulator takes more than 2 s for a call at 16777216, and at 1048576, and at 65536. "
          "For an estimate at a smaller size: --size 4096");
    return std::chrono::steady_clock::now() - start;
  };
  const auto first = try_it();
  CHECK(try_it() < first / 2);
}

TEST_CASE("rungs whose profile is kept are estimated at once") {
  const std::vector<Estimate> rows = estimates_within(0, find_problem("relu")->bench_shapes[0]);
  REQUIRE_FALSE(rows.empty());
  for (const Estimate& row : rows) CHECK(row.us > 0);
}

TEST_CASE("a kept profile is stale when the rung or a header beside it changes, not a comment") {
  const CopiedLadder ladder;
  const std::vector<std::string> all = ladder.kept();
  REQUIRE(std::count(all.begin(), all.end(), "4_float4") == 1);
  ladder.append("4_float4.cu", "\n  // Measured: never.\n");
  ladder.append("adamw_update.h", "// Explained better.\n");
  CHECK(ladder.kept() == all);

  std::vector<std::string> others = all;
  SUBCASE("the header") {
    ladder.append("adamw_update.h", "constexpr int tile = 7;\n");
    std::erase(others, "4_float4");
  }
  SUBCASE("a rung") {
    ladder.append("1_kernel_per_array.cu", "constexpr int tile = 7;\n");
    std::erase(others, "1_kernel_per_array");
  }
  CHECK(others.size() + 1 == all.size());
  CHECK(ladder.kept() == others);

  // Where there is no time to profile it again, the older profile has to do, and the row says so.
  const Problem& problem = *find_problem("adamw");
  const auto rows =
      estimate_ladder(problem, problem.bench_shapes[0], *ladder.chip, nullptr, 0, GradeRequest{});
  CHECK(rows.size() == all.size());
  for (const Estimate& row : rows) {
    CAPTURE(row.name);
    CHECK(row.us > 0);
    CHECK(row.older == (std::count(others.begin(), others.end(), row.name) == 0));
  }
}

TEST_CASE("a rung that is kept as too slow is estimated from the smaller size that is kept") {
  const CopiedLadder ladder;
  const std::vector<Estimate> before = ladder.estimated_at_once();
  const std::string kept = test::content_of(ladder.folder / "profiles.jsonl");
  Shape shape = find_problem("adamw")->bench_shapes[0];
  const std::string size = to_string(shape);
  shape[0] /= 16;
  const std::string less = to_string(shape);
  const std::size_t at = kept.find("\"size\":\"" + size + '"');
  const std::size_t begin = kept.rfind('\n', at) + 1, end = kept.find('\n', at) + 1;
  const std::string line = kept.substr(begin, end - begin);
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  const std::string source = line.substr(line.find("\"rung\""));
  const std::string smaller = replaced(line, size, less);
  const std::string reason = R"({"reason":"its blocks wait for each other",)" + source;
  const auto first_with = [&](const std::string& lines) {
    ladder.scratch.write("solutions/adamw/profiles.jsonl",
                         lines + kept.substr(0, begin) + kept.substr(end));
    return ladder.estimated_at_once()[0];
  };
  const Estimate scaled = first_with(reason + smaller);
  CHECK(scaled.us == doctest::Approx(16 * before[0].us).epsilon(0.05));
  CHECK(scaled.extrapolated_from == less);
  auto waiting = nlohmann::json::parse(smaller);
  waiting["launches"][0]["counts"]["blocks_wait"] = true;
  const Estimate unknown = first_with(reason + waiting.dump() + "\n");
  CHECK(unknown.us == 0);
  CHECK(unknown.error.find("a smaller size says nothing of this one") != std::string::npos);
  const Estimate none = first_with(reason);
  CHECK(none.us == 0);
  CHECK(none.error.find("the time for estimates is over") != std::string::npos);
}

TEST_CASE("every rung's profile is kept, or why it has none") {
  for (const Problem& problem : problems()) {
    if (uses_devices(problem)) continue;  // estimates are of one device
    std::vector<std::string> rungs;
    for (const Rung& rung : ladder(problem.name)) rungs.push_back(rung.name);
    INFO(problem.name << ": kata keep-profiles " << problem.name);
    CHECK(rungs_with_profiles(problem, problem.bench_shapes[0]) == rungs);
  }
}
