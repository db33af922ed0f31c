// Which sizes near a candidate's constants are tried, and how many.
#include "judge/near_constants.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "judge/host_device.h"
#include "judge/judge.h"

using namespace kata;

namespace {

bool any(const std::vector<std::vector<Shape>>& groups, const Shape& shape) {
  return std::ranges::any_of(groups, [&](const std::vector<Shape>& group) {
    return std::ranges::find(group, shape) != group.end();
  });
}

/// Its kernels cost as much in each call.
class Launches : public test::HostDevice {
 public:
  explicit Launches(std::uint64_t switches = 0) : switches_(switches) {}

  std::uint64_t take_switches() override { return switches_; }

 private:
  std::uint64_t switches_;
};

int wrong_size = 0;
std::vector<int> called;
void relu(const float* x, float* y, int n) {
  called.push_back(n);
  for (int i = 0; i < n; ++i) y[i] = std::max(x[i], 0.0f);
  if (n == wrong_size) y[n - 1] = -1;
}

/// What becomes of sizes 1 to 200.
std::vector<CaseResult> judge_sizes(Launches&& device, int wrong) {
  const Problem& problem = *find_problem("relu");
  NearSizes sizes;
  for (int size = 1; size <= 200; ++size) sizes.thresholds.insert(size);
  const LargeCases cases = large_cases(problem, 1, shapes_near_constants(problem, {sizes}));
  std::vector<CaseResult> results;
  const auto ignore = [](const auto&...) {};
  const JudgeEvents events{.started = ignore,
                           .finished = [&](const CaseResult& result) { results.push_back(result); },
                           .found = ignore,
                           .counted = ignore,
                           .stopped = ignore,
                           .tried = ignore};
  called.clear();
  wrong_size = wrong;
  judge_large(problem, reinterpret_cast<void*>(&relu), cases, 1, device, events,
              {.first_case = cases.results() - 1});
  return results;
}

}  // namespace

TEST_CASE("each size near a threshold is tried alone, with another one, and with the largest") {
  const Problem& problem = *find_problem("softmax_rows");
  const auto groups = shapes_near_constants(
      problem, {{.thresholds = {3001}},
                {.thresholds = {4}, .guesses = {}, .elements = {}, .others = {777}}});
  for (const Shape& shape : {Shape{1, 4}, {3001, 4}, {1, 777}}) {
    CAPTURE(to_string(shape));
    CHECK(std::ranges::any_of(groups, [&](const std::vector<Shape>& group) {
      return std::ranges::any_of(group, [&](const Shape& one) {
        return (shape[0] == 1 || one[0] == shape[0]) && one[1] == shape[1];
      });
    }));
  }
  CHECK(any(shapes_near_constants(*find_problem("moe_gate"), {{}, {.guesses = {1025}}, {}}),
            {5, 2048, 64}));
  CHECK(any(
      shapes_near_constants(*find_problem("conv2d"),
                            {{}, {.thresholds = {71}}, {.thresholds = {14}}, {.thresholds = {3}}}),
      {14, 71, 14, 3}));
}

TEST_CASE("each size leaves half a fragment over while the others are whole tiles") {
  const Problem& problem = *find_problem("hgemm");
  const auto groups = shapes_near_constants(problem, {{}, {}, {}});
  for (const Shape& shape : {Shape{128, 128, 24}, {128, 128, 128 + 24}, {24, 128, 128}})
    CHECK_MESSAGE(any(groups, shape), to_string(shape));
}

TEST_CASE("no size near a constant leaves what an exercise promises") {
  for (const Problem& problem : problems()) {
    CAPTURE(problem.name);
    const NearSizes sizes{.thresholds = {1023, 1025, 100001}, .others = {48, 1 << 20}};
    const std::vector<NearSizes> all(problem.signature.integers.size(), sizes);
    for (const std::vector<Shape>& group : shapes_near_constants(problem, all))
      for (const Shape& shape : group) CHECK_MESSAGE(is_promised(problem, shape), to_string(shape));
  }
}

TEST_CASE("a size that is wrong near a constant is a failing case of its own") {
  const std::vector<CaseResult> results = judge_sizes(Launches(), 123);
  REQUIRE(results.size() == 1);
  CHECK(results[0].verdict == Verdict::fail);
  CHECK(results[0].tested.shape == Shape{123});
  CHECK(judge_sizes(Launches(), 0).at(0).verdict == Verdict::pass);
  for (int size = 1; size <= 200; ++size) CHECK(std::ranges::find(called, size) != called.end());
}

TEST_CASE("the more threads and barriers a kernel has, the fewer sizes are tried") {
  judge_sizes(Launches(1 << 17), 0);
  const std::size_t without = called.size();
  judge_sizes(Launches(1 << 20), 0);
  CHECK(without < 200);
  CHECK(called.size() < without / 4);
  CHECK_FALSE(called.empty());
}
