// How long a person waits for the estimates of a ladder.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include "grading/estimates.h"
#include "scratch.h"

using namespace kata;

namespace {

std::vector<Estimate> estimates_within(double limit_s, const Shape& shape) {
  const Result<Chip> chip = find_chip("h200");
  REQUIRE(chip);
  return estimate_ladder(*find_problem("relu"), shape, *chip, nullptr, limit_s, {});
}

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
    CHECK(row.error.find("s for estimates are over") != std::string::npos);
  }
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
}
