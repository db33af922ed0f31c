// The judge's loop on a device in ordinary memory, with candidates that are ordinary functions.

#include "judge/judge.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "judge/host_device.h"
#include "scratch.h"

using namespace kata;
using kata::test::contains;
using test::HostDevice;

namespace {

HostDevice* device_of_candidate = nullptr;  // for candidates that look at the device

void right(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = std::max(x[i], 0.0f);
}
void forgets_the_last(const float* x, float* y, int n) {
  right(x, y, n - 1);
}
void changes_its_input(const float* x, float* y, int n) {
  right(x, y, n);
  if (n > 1) const_cast<float*>(x)[n - 1] = 1;
}
int calls = 0;
void right_at_first(const float* x, float* y, int n) {
  right(x, y, calls++ == 0 ? n : n - 1);
}
void wrong_at_first(const float* x, float* y, int n) {
  right(x, y, n);
  if (calls++ == 0) y[0] = 7;
}
void writes_past_the_end(const float* x, float* y, int n) {
  right(x, y, n);
  y[n] = 1;
}
void throws(const float*, float*, int) {
  throw std::runtime_error("out of luck");
}
void depends_on_the_schedule(const float* x, float* y, int n) {
  right(x, y, n);
  y[0] = -1 - static_cast<float>(device_of_candidate->schedule);
}
void replays_by_size(const float* x, float* y, int n) {
  static std::map<int, std::vector<float>> answers;
  auto& answer = answers[n];
  if (answer.empty()) {
    answer.resize(static_cast<std::size_t>(n));
    right(x, answer.data(), n);
  }
  std::copy(answer.begin(), answer.end(), y);
}
void replays_by_pointer(const float* x, float* y, int n) {
  static std::map<const float*, std::pair<int, std::vector<float>>> answers;
  auto& [size, answer] = answers[x];
  if (size != n) {
    size = n;
    answer.resize(static_cast<std::size_t>(n));
    right(x, answer.data(), n);
  }
  std::copy(answer.begin(), answer.end(), y);
}
void counts_its_calls(const float* x, float* y, int n) {
  static std::map<int, int> calls_of_size;
  right(x, y, n);
  if (++calls_of_size[n] == 2) y[n - 1] += 1;
}
void does_not_launch(const float*, float*, int) {
  device_of_candidate->error =
      Finding{.kind = FindingKind::invalid_launch, .message = "2048 threads"};
}
void does_not_launch_many(const float* x, float* y, int n) {
  n < 400 ? right(x, y, n) : does_not_launch(x, y, n);
}
void note_copy(const void* device, std::size_t bytes, HostCopy::Direction direction, int line) {
  device_of_candidate->copies.push_back(
      {.device = device, .bytes = bytes, .direction = direction, .line = line});
}
void computes_on_the_host(const float* x, float* y, int n) {
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(float);
  note_copy(x, bytes, HostCopy::Direction::to_host, 5);
  right(x, y, n);
  for (int i = 0; i < n; ++i) note_copy(y + i, sizeof(float), HostCopy::Direction::from_host, 7);
}
void last_step_on_the_host(const float* x, float* y, int n) {
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(float);
  note_copy(&device_of_candidate, 4, HostCopy::Direction::to_host, 5);
  right(x, y, n);
  note_copy(y, bytes, HostCopy::Direction::from_host, 7);
}
void starts_from_the_host(const float* x, float* y, int n) {
  note_copy(y, static_cast<std::size_t>(n) * sizeof(float), HostCopy::Direction::from_host, 4);
  right(x, y, n);
  note_copy(y, sizeof(float), HostCopy::Direction::to_host, 6);
}
void is_slow_for_many(const float* x, float* y, int n) {
  device_of_candidate->ended_slow = n >= 300;
  if (n < 300) return right(x, y, n);
  throw std::runtime_error("ended by the backend");
}
void breaks_the_device(const float*, float*, int) {
  device_of_candidate->error =
      Finding{.kind = FindingKind::cuda_error, .message = "an illegal address"};
  device_of_candidate->breaks = true;
}

/// The largest size that the exercise promises in one dimension, where the others are small.
Shape largest_along(const Problem& problem, std::size_t dimension) {
  const std::vector<Parameter>& sizes = problem.signature.integers;
  Shape shape(sizes.size(), 1);
  shape[dimension] = sizes[dimension].most;
  if (problem.limits.nearest) shape = problem.limits.nearest(shape);
  REQUIRE(is_promised(problem, shape));
  return shape;
}

struct Seen {
  std::vector<CaseResult> cases;
  std::vector<Finding> findings;
  Shape counted;
  int started = 0, not_run = 0, too_long = 0;

  const Finding* finding(FindingKind kind) const {
    for (const Finding& one : findings) {
      if (one.kind == kind) return &one;
    }
    return nullptr;
  }
};

Seen judged(void (*candidate)(const float*, float*, int), HostDevice device = {},
            const JudgeOptions& options = {}) {
  device_of_candidate = &device;
  Seen seen;
  const Problem& problem = *find_problem("relu");
  const std::vector<Case> cases{{{1}}, {{5}}, {{300}}, {{33}}, {{34}}};
  judge(problem, reinterpret_cast<void*>(candidate), cases, 42, device,
        {.started = [&](const Case&) { ++seen.started; },
         .finished = [&](const CaseResult& result) { seen.cases.push_back(result); },
         .found = [&](const Finding& finding) { seen.findings.push_back(finding); },
         .counted = [&](const Case& counted,
                        const std::vector<KernelRecord>&) { seen.counted = counted.shape; },
         .stopped = [&](int not_run) { seen.not_run = not_run; },
         .takes_too_long = [&] { ++seen.too_long; }},
        options);
  return seen;
}

}  // namespace

TEST_CASE("a right candidate passes every case, and the largest is the counted one") {
  const Seen seen = judged(right);
  REQUIRE(seen.cases.size() == 5);
  for (const CaseResult& one : seen.cases) CHECK(one.verdict == Verdict::pass);
  CHECK(seen.findings.empty());
  CHECK(seen.counted == Shape{300});
  CHECK(seen.not_run == 0);
}

TEST_CASE("a case for which a candidate is too slow is left out, and is no fault") {
  const Seen seen = judged(is_slow_for_many);
  CHECK(seen.cases.size() == 4);
  for (const CaseResult& one : seen.cases) CHECK(one.verdict == Verdict::pass);
  CHECK(seen.findings.empty());
  CHECK(seen.too_long == 1);
}

TEST_CASE("the seed draws cases of its own: small, in range, and the same again") {
  for (const Problem& problem : problems()) {
    CAPTURE(problem.name);
    const double most = work(problem, largest(problem, problem.cases));
    std::set<Shape> shapes;
    std::size_t cases = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const std::vector<Case> drawn = drawn_cases(problem, seed);
      const std::vector<Case> again = drawn_cases(problem, seed);
      REQUIRE(drawn.size() == problem.drawn_values.size());
      cases += drawn.size();
      for (std::size_t i = 0; i < drawn.size(); ++i) {
        CHECK(drawn[i].shape == again[i].shape);
        CHECK(drawn[i].shape.size() == problem.cases.front().shape.size());
        CHECK(is_legal(problem, drawn[i].shape));  // sizes of at least 1, flags of 0 or 1
        CHECK(work(problem, drawn[i]) <
              most / 2);  // which keeps the largest the one that is counted
        shapes.insert(drawn[i].shape);
      }
    }
    CHECK(shapes.size() > cases / 10);  // a size alone is often drawn twice
  }
}

TEST_CASE(
    "a dimension of a matrix exceeds gridDim.y in some case, where the exercise promises it") {
  std::size_t dimensions = 0;
  for (const Problem& problem : problems()) {
    CAPTURE(problem.name);
    std::vector<Case> cases = problem.cases;
    for (const Case& one : grid_limit_cases(problem)) {
      CHECK(is_promised(problem, one.shape));
      cases.push_back(one);
    }
    for (std::size_t i = 0; i < problem.signature.integers.size(); ++i) {
      const Shape most = largest_along(problem, i);
      for (const Parameter& tensor : problem.signature.tensors) {
        const Dims dims = tensor.dims(most);
        for (std::size_t dim = 0; dims.size() > 1 && dim < dims.size(); ++dim) {
          if (dims[dim] <= 65536) continue;  // the smallest case beyond is 65537
          CAPTURE(tensor.name);
          CAPTURE(dim);
          ++dimensions;
          CHECK(std::any_of(cases.begin(), cases.end(),
                            [&](const Case& one) { return tensor.dims(one.shape)[dim] > 65535; }));
        }
      }
    }
  }
  CHECK(dimensions > 20);
}

TEST_CASE("a launch that is refused at a large size fails, if all cases before it pass") {
  const Seen refused = judged(does_not_launch_many, {}, {.launches = {{{400}}}});
  REQUIRE(refused.cases.size() == 6);
  CHECK(refused.cases[4].verdict == Verdict::pass);
  CHECK(refused.cases[5].verdict == Verdict::fail);
  CHECK(refused.cases[5].tested.shape == Shape{400});
  CHECK(contains(refused.cases[5].explanation, "a launch is refused at this size"));
  CHECK(refused.finding(FindingKind::invalid_launch));
  CHECK(judged(right, {}, {.launches = {{{400}}}}).cases.size() == 5);
  CHECK(judged(forgets_the_last, {}, {.launches = {{{400}}}}).cases.size() == 3);
}

TEST_CASE("an operator that is computed on the CPU fails, and a last step there gets a warning") {
  const Seen host = judged(computes_on_the_host);
  REQUIRE(host.finding(FindingKind::host_computation));
  CHECK(host.finding(FindingKind::host_computation)->severity == Severity::error);
  CHECK(host.finding(FindingKind::host_computation)->line == 7);
  CHECK(contains(host.finding(FindingKind::host_computation)->message, "the CPU computes y"));
  CHECK(host.cases.front().verdict == Verdict::fail);

  const Seen partly = judged(last_step_on_the_host);
  REQUIRE(partly.finding(FindingKind::host_computation));
  CHECK(partly.finding(FindingKind::host_computation)->severity == Severity::warning);
  CHECK(partly.cases.front().verdict == Verdict::pass);

  CHECK(judged(starts_from_the_host).findings.empty());
}

TEST_CASE("after three failing cases the judge stops and says how many it left out") {
  const Seen seen = judged(forgets_the_last);
  REQUIRE(seen.cases.size() == 3);
  CHECK(seen.started == 3);
  CHECK(seen.not_run == 2);
  CHECK(contains(seen.cases[0].explanation, "never written"));
  REQUIRE(seen.finding(FindingKind::output_incomplete));
  CHECK(seen.findings.size() == 1);
}

TEST_CASE("whoever wants all cases gets them, however many fail") {
  const Seen seen = judged(forgets_the_last, {}, {.all_cases = true});
  CHECK(seen.cases.size() == 5);
  CHECK(seen.not_run == 0);
}

TEST_CASE("what is right as the first call of a process alone is said to be") {
  const auto first_call = [] {
    calls = 0;
    return reinterpret_cast<void*>(right_at_first);
  };
  calls = 0;
  const Seen seen = judged(right_at_first, {}, {.reload = first_call});
  CHECK(seen.cases[0].explanation.starts_with("right in the first call, wrong in the second"));
  CHECK(seen.cases[1].explanation.starts_with("right as the first call"));

  const Seen wrong_always = judged(
      forgets_the_last, {}, {.reload = [] { return reinterpret_cast<void*>(forgets_the_last); }});
  CHECK_FALSE(contains(wrong_always.cases[1].explanation, "first call"));
}

TEST_CASE("a call that is repeated since blocks met counts as well") {
  calls = 0;
  HostDevice device;
  device.order_matters = true;
  const Seen seen = judged(wrong_at_first, std::move(device));
  CHECK(calls > 1);
  CHECK(seen.cases[0].verdict == Verdict::fail);
  CHECK(seen.cases[1].verdict == Verdict::pass);
}

TEST_CASE("an input that changed is named, with the element") {
  const Seen seen = judged(changes_its_input);
  CHECK(seen.cases[1].verdict == Verdict::fail);
  CHECK(contains(seen.cases[1].explanation, "the output is correct"));
  REQUIRE(seen.finding(FindingKind::input_modified));
  CHECK(contains(seen.finding(FindingKind::input_modified)->message, "x[4]"));
}

TEST_CASE("an answer that is kept from one call to the next is no answer") {
  for (auto* candidate : {replays_by_size, replays_by_pointer}) {
    const Seen seen = judged(candidate);
    REQUIRE(seen.cases.size() > 1);
    for (std::size_t i = 1; i < seen.cases.size(); ++i) {  // one element may be 0 both times
      CHECK(seen.cases[i].verdict == Verdict::fail);
      CHECK(contains(seen.cases[i].explanation, "first call's result"));
    }
  }
  const Seen seen = judged(counts_its_calls);
  CHECK(seen.cases[0].verdict == Verdict::fail);
  CHECK(contains(seen.cases[0].explanation, "wrong in the second"));
}

TEST_CASE("a write past the end fails a case whose values are right") {
  const Seen seen = judged(writes_past_the_end);
  CHECK(seen.cases[0].verdict == Verdict::fail);
  CHECK(seen.cases[0].bad == 0);
  REQUIRE(seen.finding(FindingKind::out_of_bounds));
}

TEST_CASE("an exception out of the candidate is a crash with its words") {
  const Seen seen = judged(throws);
  REQUIRE(seen.finding(FindingKind::crash));
  CHECK(contains(seen.finding(FindingKind::crash)->message, "out of luck"));
  CHECK(seen.cases[0].verdict == Verdict::fail);
}

TEST_CASE("a result that changes with the order of the blocks is different in each run") {
  const Seen seen = judged(depends_on_the_schedule);
  REQUIRE(seen.finding(FindingKind::nondeterministic));
  CHECK(contains(seen.cases[0].explanation, "different in each run"));
  CHECK(judged(forgets_the_last).finding(FindingKind::nondeterministic) == nullptr);
}

TEST_CASE("a kernel that did not run is the reason why nothing was written") {
  const Seen seen = judged(does_not_launch);
  CHECK(seen.cases[2].explanation == "nothing was written: invalid_launch");
  CHECK(seen.findings.size() == 2);  // each kind once, however many cases it spoils
}

TEST_CASE("a broken device ends the run, and the case that broke it fails") {
  const Seen seen = judged(breaks_the_device);
  REQUIRE(seen.cases.size() == 1);
  CHECK(seen.cases[0].verdict == Verdict::fail);
  CHECK(seen.cases[0].explanation == "the run stopped: cuda_error");
  CHECK(seen.not_run == 4);
}

TEST_CASE("too little device memory is an error of that case, not a wrong result") {
  HostDevice small;
  small.most_bytes = 400;
  const Seen seen = judged(right, small);
  CHECK(seen.cases[2].verdict == Verdict::error);
  CHECK(seen.cases[3].verdict == Verdict::pass);
}

namespace {

Outputs (*reference_of_batchnorm)(const Inputs& inputs, const Case& one_case) = nullptr;
int references = 0;

Outputs counted_reference(const Inputs& inputs, const Case& one_case) {
  ++references;
  return reference_of_batchnorm(inputs, one_case);
}

}  // namespace

TEST_CASE("a large wrong result is explained without a wait for the reference") {
  Problem problem = *find_problem("batchnorm");
  reference_of_batchnorm = std::exchange(problem.reference, counted_reference);
  const Case large{{60'001, 40}};
  const Inputs inputs = make_inputs(problem, large, 1);
  const Outputs expected = expected_outputs(problem, inputs, large);
  Array got(Type::f32, expected[0].value.size());
  for (std::size_t i = 0; i < got.size(); ++i) got.set(i, expected[0].value[i] + i % 3);
  references = 0;
  const CaseResult result =
      compare(problem, large, inputs, expected, {got}, find_unwritten(problem, expected, {got}));
  CHECK(result.verdict == Verdict::fail);
  CHECK(references == 0);
}

TEST_CASE("every case lies within the ranges of the exercise; each seed has as many cases") {
  for (const Problem& problem : problems()) {
    CAPTURE(problem.name);
    const std::size_t most = usual_cases(problem, 0, false).size();
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const std::vector<Case> cases = usual_cases(problem, seed, false);
      CHECK(cases.size() == most);
      for (const Case& one : cases) {
        CAPTURE(to_string(one.shape));
        CHECK(is_promised(problem, one.shape));
      }
    }
    for (const RepeatedCase& one : repeated_cases(problem)) {
      CAPTURE(to_string(one.shape));
      CHECK(is_promised(problem, one.shape));
    }
  }
}

TEST_CASE("no case accepts anything: every tolerance is a finite number") {
  for (const Problem& problem : problems()) {
    CAPTURE(problem.name);
    for (const Case& one : problem.cases) {
      CAPTURE(name_of(problem, one));
      for (const Expected& expected : expected_outputs(problem, make_inputs(problem, one, 1), one))
        CHECK(std::ranges::all_of(expected.tolerance, [](double t) { return std::isfinite(t); }));
    }
  }
}
