// Two workers judge half of the cases each. A person sees what one worker would have answered.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "check.h"
#include "scratch.h"

using kata::test::Json;
using kata::test::Outcome;

namespace {

/// Of a relu whose host function begins with these lines, and whose kernel reads x[read] where it
/// should read x[i].
Outcome check_relu(const std::string& host_code, const std::string& read = "i") {
  const kata::test::Scratch scratch;
  const auto file = scratch.write("relu.cu", R"(#include <cstdio>
#include <cstdlib>
__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[)" + read + R"(], 0.0f);
}
extern "C" void relu(const float* x, float* y, int n) {
)" + host_code + R"(
  relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
)");
  Outcome outcome = kata::test::check(file, {"--seed", "1", "--no-ladder", "--output"});
  INFO(outcome.errors);
  REQUIRE_FALSE(outcome.report.is_discarded());
  return outcome;
}

std::vector<int> sizes(const Json& report) {
  std::vector<int> all;
  for (const Json& one : report["cases"]) all.push_back(one["shape"][0]);
  return all;
}

}  // namespace

TEST_CASE("cases, and what is printed in them, come in the problem's order") {
  const Json report = check_relu("  std::printf(\"%d\\n\", n);").report;
  CHECK(report["verdict"] == "pass");
  std::vector<int> judged = sizes(report), printed;
  std::istringstream lines(report["output"].get<std::string>());
  for (int n = 0; lines >> n;) printed.push_back(n);
  for (std::vector<int>* all : {&judged, &printed})  // a case has several calls
    all->erase(std::unique(all->begin(), all->end()), all->end());
  REQUIRE(judged.size() > 7);
  CHECK(std::vector(judged.begin(), judged.begin() + 6) == std::vector{1, 3, 255, 257, 1024, 4098});
  CHECK(judged.back() == 131077);
  CHECK(printed == judged);
}

TEST_CASE("the third failing case ends a check, also where two of them are in the first half") {
  const Json report = check_relu("  if (n > 256) return;").report;
  CHECK(sizes(report) == std::vector{1, 3, 255, 257, 1024, 4098});
  CHECK(report["cases_not_run"] == sizes(check_relu("").report).size() - 6);
}

TEST_CASE("a candidate that leaves the process in its first case has one case") {
  const Json report = check_relu("  std::exit(0);").report;
  CHECK(sizes(report) == std::vector{1});
  CHECK(report["verdict"] == "fail");
}

TEST_CASE("a candidate that leaves the process in the last case has all of them") {
  const Json report = check_relu("  if (n > 5000) std::exit(0);").report;
  CHECK(sizes(report) == sizes(check_relu("").report));
  CHECK(report["cases"].back()["verdict"] == "fail");
}

TEST_CASE("a line that is wrong in both halves is found once") {
  const Json report = check_relu("", "n == 3 || n == 4098 ? i + 1 : i").report;
  int found = 0;
  for (const Json& one : report["findings"]) found += one["kind"] == "out_of_bounds";
  CHECK(found == 1);
  CHECK(report["verdict"] == "fail");
}

TEST_CASE("counts are those of the largest case of both halves") {
  CHECK(check_relu("").report["counted_shape"][0] == 131077);
}
