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

/// What it takes for its results to be those of the large call before, and how often it was so.
int small_calls_between = 0, small_calls = 0;
std::vector<float> kept;
void relu_in_turn(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = std::max(x[i], 0.0f);
  if (n == 1) return void(++small_calls);
  if (small_calls == small_calls_between && kept.size() == std::size_t(n))
    std::copy(kept.begin(), kept.end(), y);
  kept.assign(y, y + n);
  small_calls = 0;
}

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

TEST_CASE("what a large call left shows in the next one, also after one, two or three small ones") {
  const Problem& problem = *find_problem("relu");
  LargeCases cases = large_cases(problem, 1);
  for (Case& one : cases.in_turn) one.shape[0] = std::min(one.shape[0], 5000);  // room on the host
  const auto ignore = [](const auto&...) {};
  for (int between = 1; between <= 3; ++between) {
    CAPTURE(between);
    small_calls_between = between;
    kept.clear();
    std::vector<CaseResult> results;
    const JudgeEvents events{
        .started = ignore,
        .finished = [&](const CaseResult& result) { results.push_back(result); },
        .found = ignore,
        .counted = ignore,
        .stopped = ignore,
        .tried = ignore};
    test::HostDevice device;
    judge_large(problem, reinterpret_cast<void*>(&relu_in_turn), cases, 1, device, events,
                {.first_case = cases.results()});
    REQUIRE(results.size() == 1);
    CAPTURE(results[0].name);
    CHECK(results[0].verdict == Verdict::fail);
    CHECK(results[0].explanation.find("after calls of") != std::string::npos);
  }
}

TEST_CASE("on both sides of a threshold the other sizes are as large as the exercise promises") {
  const Problem& problem = *find_problem("quantize_int8");
  const std::vector<Shape> shapes = largest_near(problem, {{}, {.thresholds = {4999, 5000, 5001}}});
  REQUIRE(shapes.size() == 2);
  for (const Shape& shape : shapes) {
    CHECK((shape[1] == 4999 || shape[1] == 5001));
    CHECK(shape[0] > 65535);
    CHECK(is_promised(problem, shape));
    CHECK_FALSE(is_promised(problem, {shape[0] + 1, shape[1]}));
  }
}

TEST_CASE("just past a threshold a row of few elements comes with all checks") {
  const Problem& problem = *find_problem("topk_rows");
  const std::vector<Shape> shapes =
      shapes_past_thresholds(problem, {{}, {.thresholds = {8191, 8192, 8193}}, {}});
  REQUIRE(shapes.size() == 1);
  CHECK(shapes[0][1] == 8193);
  CHECK(shapes[0][2] > 1);  // more than the one element past the threshold
  const std::vector<Case> called = cases_called_once(problem, 1, shapes).long_life;
  CHECK(std::ranges::find(called, shapes[0], &Case::shape) != called.end());
}

TEST_CASE("where sizes are powers of two the next one beyond a threshold is tried") {
  std::set<int> sizes{1023, 1024, 1025};
  add_next_legal(*find_problem("fft"), 0, sizes);
  CHECK(sizes.contains(2048));
  std::set<int> of_any{1023, 1024, 1025};
  add_next_legal(*find_problem("relu"), 0, of_any);
  CHECK(of_any == std::set<int>{1023, 1024, 1025});
}

TEST_CASE("segments that are all just past what a source compares with come with all checks") {
  const Problem& problem = *find_problem("segmented_sum");
  const std::vector<Shape> shapes =
      shapes_past_thresholds(problem, {{.guesses = {4095, 4096, 4097}}, {}});
  CHECK(std::ranges::any_of(
      shapes, [](const Shape& shape) { return shape[1] > 1 && shape[0] == shape[1] * 4097; }));
}

TEST_CASE("there are more long rows than a list of the source holds") {
  const Problem& spmv = *find_problem("spmv");
  const std::vector<NearSizes> sizes{
      {.others = {1023, 1024, 1025}}, {}, {.guesses = {4095, 4096, 4097}}};
  CHECK(std::ranges::count(long_lists(spmv, sizes), Shape{1025, 4097, 1025 * 4097}) == 1);
  CHECK(long_lists(*find_problem("sgemm"), sizes).empty());
  const Problem& sums = *find_problem("segmented_sum");
  CHECK(std::ranges::count(long_lists(sums, {{.guesses = {1024, 1025}}, {.others = {65537}}}),
                           Shape{65537 * 1025, 65537}) == 1);
}

TEST_CASE("some rows are three parts of a constant of the source long, with all checks") {
  const std::vector<Shape> shapes = shapes_past_thresholds(
      *find_problem("sgemv"), {{.others = {255, 256, 257}}, {.others = {2047, 2048, 2049}}});
  CHECK(std::ranges::any_of(
      shapes, [](const Shape& shape) { return shape[0] > 2 && shape[1] == 3 * 2048; }));
}
