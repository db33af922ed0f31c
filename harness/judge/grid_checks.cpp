// Sizes beyond the limits of a grid: repeated inputs on a device that holds them, and launches
// whose kernels do not run.

#include <algorithm>

#include "judge/case_judge.h"
#include "judge/large_cases.h"
#include "judge/repeated.h"
#include "judge/shapes.h"

namespace kata {
namespace {

/// What host code may copy back and decide by.
void upload_integers(const Problem& problem, const Inputs& inputs, const Buffers& buffers,
                     Device& device) {
  std::size_t input = 0;
  for (std::size_t i = 0; i < buffers.tensors.size(); ++i) {
    const Parameter& tensor = problem.signature.tensors[i];
    if (tensor.kind == Parameter::Kind::output) continue;
    const Array& values = inputs[input++];
    if (is_float(tensor.type)) continue;
    device.upload(buffers.tensors[i].data(), values.bytes().data(), values.bytes().size());
  }
}

}  // namespace

/// One call with what the buffers hold.
Outcome CaseJudge::call_prepared(const Case& one_case, const Buffers& buffers) {
  return limited([&] { return call_on(problem_, entry_, one_case, buffers, device_); });
}

bool CaseJudge::run_repeated(const RepeatedCase& one) {
  constexpr double most_s = 5;
  const Case whole = one.whole();
  if (seconds_of_largest_ * work(problem_, whole) / largest_ > most_s) return true;
  const Buffers buffers = allocate(problem_, one.shape, device_);
  if (!buffers.complete) return true;  // a small GPU
  events_.started(whole);
  const Inputs pattern = make_inputs(problem_, one.pattern, seed_);
  prepare_repeated(problem_, pattern, buffers, device_);
  const Outcome outcome = call_prepared(whole, buffers);
  device_.take_kernels();
  tell(outcome.findings);
  CaseResult result{.name = name_of(problem_, whole), .tested = whole};
  if (device_.usable()) {
    const Outputs expected = expected_outputs(problem_, pattern, one.pattern);
    result = compare_repeated(problem_, one, expected, buffers, device_);
  }
  if (const Finding* cause = first_error(outcome.findings)) {
    result.verdict = Verdict::fail;
    if (!result.first_bad) result.explanation = "the run stopped: " + name_and_place(*cause);
  }
  events_.finished(result);
  return result.verdict == Verdict::pass;
}

bool CaseJudge::check_launches(const Case& one_case) {
  events_.started(one_case);
  const Buffers buffers = allocate(problem_, one_case.shape, device_);
  if (!buffers.complete) return true;
  if (!draws_floats_alone(problem_))
    upload_integers(problem_, make_integer_inputs(problem_, one_case, seed_), buffers, device_);
  device_.run_kernels(Blocks::none);
  std::vector<Finding> findings = call_prepared(one_case, buffers).findings;
  launched_ = device_.take_sample().kernels;
  device_.run_kernels(Blocks::all);
  std::erase_if(findings,
                [](const Finding& one) { return one.kind != FindingKind::invalid_launch; });
  if (findings.empty()) return true;
  tell(findings);
  return failed(one_case, "a launch is refused at this size: " + name_and_place(findings.front()));
}

bool CaseJudge::check_borders() {
  constexpr double most_price = 5e6;  // of tensors that are more than addresses
  const bool is_drawn = !draws_floats_alone(problem_);
  const std::vector<Parameter>& sizes = problem_.signature.integers;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto with = [&](std::int64_t size) {
      Shape shape = small_shape(problem_, 1);
      shape[i] = static_cast<int>(size);
      return legal(problem_, shape);
    };
    const auto is_right = [&](std::int64_t size) { return check_launches({with(size)}); };
    if (!is_right(sizes[i].least)) return false;
    std::int64_t below = sizes[i].least;
    auto before = launched_;
    while (below < sizes[i].most) {
      std::int64_t above =
          std::min<std::int64_t>(std::max<std::int64_t>(1, 2 * below), sizes[i].most);
      const Shape shape = with(above);
      if (!is_promised(problem_, shape) || (is_drawn && price(problem_, shape) > most_price)) break;
      const std::int64_t next = above;
      if (!is_right(above)) return false;
      const auto after = launched_;
      while (before != after && above - below > 1) {
        const std::int64_t middle = below + (above - below) / 2;
        if (!is_right(middle)) return false;
        (launched_ == before ? below : above) = middle;
      }
      below = next;
      before = after;
    }
  }
  return true;
}

}  // namespace kata
