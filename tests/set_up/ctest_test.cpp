// `ctest -R softmax` as a person types it, in a copy of the tree with the program that was built.
#include <doctest/doctest.h>

#include "scratch.h"
#include "skip.h"
#include "snapshot.h"
#include "support/process.h"

namespace fs = std::filesystem;
using kata::test::contains;
using kata::test::content_of;
using kata::test::Scratch;

namespace {

/// Every word in the text that starts like that.
std::vector<std::string> names_after(const std::string& text, const std::string& start) {
  std::vector<std::string> names;
  for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
    names.push_back(text.substr(at, text.find_first_of("] )\n", at) - at));
  }
  return names;
}

/// The tree is configured by the real CMake; the program is not built again but put in its place.
struct Checkout {
  Scratch scratch;

  Checkout() {
    for (const char* part : {"CMakeLists.txt", "CMakePresets.json", "harness"}) {
      fs::copy(fs::path(KATA_SOURCE_DIR) / part, scratch / part, fs::copy_options::recursive);
    }
    kata::test::copy_exercises(KATA_SOURCE_DIR, scratch.path());
    kata::test::copy_solutions(KATA_SOURCE_DIR, scratch.path());
    const auto configured = run({"cmake", "-B", "build"});
    INFO(configured.output << configured.errors);
    REQUIRE(configured.exit_status == 0);
    for (const char* part : {"kata-check", "kata-worker-emulator", "include"}) {
      fs::copy(fs::path(KATA_BINARY_DIR) / part, scratch / "build" / part,
               fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    }
  }

  kata::Finished run(const std::vector<std::string>& arguments) const {
    const auto finished = kata::run({.arguments = arguments,
                                     .environment = {{"KATA_ROOT", scratch.path()},
                                                     {"KATA_HOME", scratch / "home"},
                                                     {"KATA_BUILD", ""},
                                                     {"KATA_LARGE_CASES", "off"},
                                                     {"CTEST_OUTPUT_ON_FAILURE", ""}},
                                     .folder = scratch.path(),
                                     .time_limit_s = 200});
    REQUIRE(finished);
    return *finished;
  }

  void write_exercise(const std::string& name, const std::string& text) const {
    scratch.write("exercises/" + name + "/" + name + ".cu", text);
  }

  /// The first rung of the ladder, with one piece of its text replaced.
  std::string solution(const std::string& name) const {
    for (const auto& entry : fs::directory_iterator(scratch / "solutions" / name)) {
      if (entry.path().filename().string().starts_with("1_")) return content_of(entry.path());
    }
    FAIL("no solution of " << name);
    return "";
  }
};

/// With untouched exercises. It is configured once: that takes longer than any test.
const Checkout& clean_checkout() {
  static const Checkout checkout;
  static const kata::test::Snapshot exercises(checkout.scratch / "exercises");
  exercises.restore(checkout.scratch / "exercises");
  fs::remove_all(checkout.scratch / "home");
  return checkout;
}

constexpr const char* wrong_relu = R"(#include <kata/kata.h>
__global__ void wrong(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
extern "C" void relu(const float* x, float* y, int n) { wrong<<<(n + 255) / 256, 256>>>(x, y, n); }
)";

constexpr const char* broken_relu = R"(#include <kata/kata.h>
extern "C" void relu(const float* x, float* y, int n) { there_is_no_such_name(x, y, n); }
)";

}  // namespace

TEST_CASE("ctest -R from the root grades the person's own file and nothing else") {
  const Checkout& checkout = clean_checkout();

  // Untouched: skipped, though solutions lie beside it.
  kata::Finished result = checkout.run({"ctest", "-R", "relu"});
  CHECK(result.exit_status == 0);
  CHECK(contains(result.output, "***Skipped"));
  CHECK_FALSE(contains(result.output, "Passed"));

  // Wrong: fails, and says what is wrong without -V.
  checkout.write_exercise("relu", wrong_relu);
  result = checkout.run({"ctest", "-R", "relu"});
  CHECK(result.exit_status != 0);
  CHECK(contains(result.output, "***Failed"));
  CHECK(contains(result.output, "relu.cu"));

  // Asked for what failing tests print, ctest shows the report itself, once.
  result = checkout.run({"ctest", "-R", "relu", "--output-on-failure"});
  const std::size_t verdict = result.output.find("FAIL  relu");
  CHECK(verdict != std::string::npos);
  CHECK(result.output.find("FAIL  relu", verdict + 1) == std::string::npos);

  // The same file once more: this command compiles it again.
  checkout.write_exercise("relu", checkout.solution("relu"));
  result = checkout.run({"ctest", "-R", "relu"});
  INFO(result.output << result.errors);
  CHECK(result.exit_status == 0);
  CHECK(contains(result.output, "Passed"));
  // The table is shown although the test passed.
  CHECK(contains(result.output, "yours"));
  CHECK(contains(result.output, "1_thread_per_element"));

  // A compile error is shown as the compiler wrote it.
  checkout.write_exercise("relu", broken_relu);
  result = checkout.run({"ctest", "-R", "relu"});
  CHECK(result.exit_status != 0);
  CHECK(contains(result.output, "there_is_no_such_name"));
  CHECK(contains(result.output, "relu.cu:2"));
  CHECK_FALSE(contains(result.output, "1_thread_per_element"));
}

TEST_CASE("reports are those of this run alone") {
  const Checkout& checkout = clean_checkout();
  checkout.write_exercise("relu", checkout.solution("relu"));
  CHECK(contains(checkout.run({"ctest", "-R", "relu"}).output, "1_thread_per_element"));
  const kata::Finished other = checkout.run({"ctest", "-R", "sgemv"});
  CHECK_FALSE(contains(other.output, "1_thread_per_element"));
}

TEST_CASE("a name that matches no exercise is a failure, a list is not") {
  const Checkout& checkout = clean_checkout();
  const kata::Finished typo = checkout.run({"ctest", "-R", "sofmax"});
  CHECK(typo.exit_status != 0);
  CHECK(contains(typo.errors + typo.output, "No test ran"));
  CHECK(checkout.run({"ctest", "-N"}).exit_status == 0);
  CHECK(checkout.run({"ctest", "--preset", "default", "-R", "sofmax"}).exit_status != 0);
}

TEST_CASE("ctest works from the build folder as well") {
  const Checkout& checkout = clean_checkout();
  const kata::Finished result = checkout.run({"ctest", "--test-dir", "build", "-R", "relu"});
  CHECK(result.exit_status == 0);
  CHECK(contains(result.output, "***Skipped"));
}

TEST_CASE("every exercise is a test of its name, and no test of the harness matches it") {
  const Checkout& checkout = clean_checkout();
  const std::string tests = checkout.run({"ctest", "-N"}).output;
  // What is registered in this very build folder, by name: add_test([=[harness.cli]=] ...
  const std::string selftests = content_of(fs::path(KATA_BINARY_DIR) / "tests/CTestTestfile.cmake");
  const std::vector<std::string> names = names_after(selftests, "harness.");
  CHECK_FALSE(names.empty());
  for (const auto& entry : fs::directory_iterator(checkout.scratch / "exercises")) {
    if (!entry.is_directory()) continue;
    const std::string name = entry.path().filename();
    CHECK(contains(tests, ": " + name + "\n"));
    for (const std::string& selftest : names) {
      INFO(selftest);
      CHECK_FALSE(contains(selftest, name));
    }
  }
}

TEST_CASE("editors find every stub and rung in compile_commands.json") {
  const Checkout& checkout = clean_checkout();
  const std::string commands = content_of(checkout.scratch / "build/compile_commands.json");
  for (const char* folder : {"exercises", "solutions"}) {
    for (const auto& entry : fs::recursive_directory_iterator(checkout.scratch / folder)) {
      const std::string name = entry.path().filename();
      const bool candidate = entry.path().extension() == ".cu" && name[0] != '.';
      if (candidate && !name.starts_with("library_")) {
        CHECK(contains(commands, "\"" + entry.path().string() + "\""));
      }
    }
  }
}

TEST_CASE("clangd understands a stub without a CUDA Toolkit") {
  if (kata::find_program("clangd").empty()) return kata::test::skip("clangd is not installed");
  const Checkout& checkout = clean_checkout();
  const kata::Finished result =
      checkout.run({"clangd", "--check=exercises/relu/relu.cu", "--compile-commands-dir=build"});
  INFO(result.errors);
  CHECK(result.exit_status == 0);
  CHECK(contains(result.errors, "0 errors"));
  CHECK(contains(result.errors, "exercises/relu/relu.cu"));
}
