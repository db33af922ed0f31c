// A case once more: is it wrong as the first call of a process too, in another order of blocks,
// with other inputs?

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "judge/case_judge.h"
#include "judge/explain.h"
#include "judge/shapes.h"

namespace kata {
namespace {

/// An element of an output.
struct Place {
  std::size_t output, element;
};

/// The first element that two runs disagree on by more than rounding, if there is one.
std::optional<Place> difference(const std::vector<Array>& first, const std::vector<Array>& second,
                                const Outputs& expected) {
  for (std::size_t o = 0; o < first.size(); ++o) {
    if (first[o] == second[o]) continue;
    const std::size_t specified = expected[o].specified < 0
                                      ? first[o].size()
                                      : static_cast<std::size_t>(expected[o].specified);
    for (std::size_t i = 0; i < specified; ++i) {
      const double a = first[o][i], b = second[o][i];
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      if (!(std::fabs(a - b) <= expected[o].tolerance_of(i))) return Place{o, i};
    }
  }
  return {};
}

/// The same case with the scalars of another one that draws its values alike, where there is one:
/// what fits one such case fits all. The case alone decides which: what fails fails again without
/// the cases before it.
Case with_other_reals(const Problem& problem, const Case& one_case) {
  const auto reals_of = [&](const Case& one) { return arguments_of(problem, one).reals; };
  std::vector<std::vector<float>> others;
  for (const Case& other : problem.cases) {
    if (other.values == one_case.values && reals_of(other) != reals_of(one_case))
      others.push_back(reals_of(other));
  }
  if (others.empty()) return one_case;
  const auto number = std::accumulate(one_case.shape.begin(), one_case.shape.end(), std::size_t{0});
  return {one_case.shape, one_case.values, others[number % others.size()]};
}

}  // namespace

/// A failing case in new copies of the module: if it is right there in every order that is tried,
/// the calls before it are to blame.
bool CaseJudge::right_as_first_call(const Trial& trial) {
  if (cases_before_ == 0) return false;
  for (int i = 0; i < repetitions(); ++i) {
    void* const fresh = fresh_entry();
    if (!fresh) return false;
    const Outcome outcome = call(fresh, trial);
    device_.take_kernels();
    if (outcome.outputs.empty() || first_error(outcome.findings)) return false;
    if (compared(trial, outcome.outputs).verdict != Verdict::pass) return false;
    device_.change_schedule();
  }
  return true;
}

/// Whether the candidate, loaded afresh, is wrong for these inputs at its first call.
bool CaseJudge::wrong_as_first_call(const Trial& trial) {
  void* const fresh = fresh_entry();
  if (!fresh) return false;
  const Outcome outcome = call(fresh, trial);
  device_.take_kernels();
  return !outcome.outputs.empty() && compared(trial, outcome.outputs).verdict != Verdict::pass;
}

/// A failing case again with the same inputs and, where the backend can, another order of blocks
/// and warps: a result that changes has a cause of its own.
void CaseJudge::call_again(const Trial& trial, const Outcome& before, CaseResult& result) {
  const bool has_race = has_kind(before.findings, FindingKind::race);
  if (!has_race && right_as_first_call(trial)) {
    result.explanation =
        "right as the first call of a process, wrong in later calls: something is kept from call "
        "to call (a static or __device__ variable, memory that is set only once, or shared memory "
        "that is read before a barrier?); here, " +
        result.explanation;
    return;
  }
  std::string differs;
  bool right_again = !has_race;
  for (int i = 0; i < repetitions() && device_.usable(); ++i) {
    device_.change_schedule();
    const Outcome again = call(entry_, trial);
    device_.take_kernels();
    tell(again.findings);
    if (again.outputs.empty()) return;
    right_again = right_again && compared(trial, again.outputs).verdict == Verdict::pass;
    const auto at = difference(before.outputs, again.outputs, trial.expected);
    if (!at && differs.empty()) continue;
    if (differs.empty()) {
      const Parameter& tensor = problem_.signature.outputs[at->output];
      const std::string name = element_name(tensor.name, static_cast<std::int64_t>(at->element),
                                            tensor.dims(trial.one_case.shape));
      differs = fmt::format("{} was {}, then {} with the same inputs", name,
                            number(before.outputs[at->output][at->element]),
                            number(again.outputs[at->output][at->element]));
    }
    if (!right_again) break;
  }
  if (differs.empty()) return;
  const auto lanes =
      std::ranges::find(before.findings, FindingKind::barrier_divergence, &Finding::kind);
  if (lanes != before.findings.end()) {
    result.explanation = fmt::format(
        "different in each run: {}: is the value of a lane that does not take part used? See {}",
        differs, name_and_place(*lanes));
    result.explanation_kind = ExplanationKind::nondeterministic;
    return;
  }
  if (right_again) {
    result.explanation = "right when it is called again: " + differs +
                         ", so each result arrives one call late (is it copied before a kernel "
                         "computes it?)";
    return;
  }
  differs = "different in each run: " + differs +
            ", so it depends on the order of threads or blocks (is a barrier or an atomic missing, "
            "or do several threads write the same element?)";
  tell({{.kind = FindingKind::nondeterministic, .message = differs}});
  result.explanation = differs + "; in the first run, " + result.explanation;
  result.explanation_kind = ExplanationKind::nondeterministic;
}

/// Other inputs in the buffers of a case that came out right, and other scalars: a result, a
/// counter or a flag that the candidate keeps from one call to the next shows.
void CaseJudge::call_with_other_inputs(const Case& first, const Buffers& buffers,
                                       const std::vector<Array>& before, CaseResult& result) {
  const Case one_case = with_other_reals(problem_, first);
  const Inputs inputs = make_inputs(problem_, one_case, ~seed_);
  Outcome outcome = call(entry_, one_case, inputs, buffers);
  device_.take_kernels();
  if (gave_up(outcome)) return;
  bool kept = true;  // else it is wrong for these inputs at a first call as well
  const char* const when = "right in the first call, wrong in the second, with other inputs: ";
  CaseResult second;
  if (!outcome.outputs.empty()) {
    const Outputs expected = expected_outputs(problem_, inputs, one_case);
    const Trial trial{one_case, inputs, buffers, expected};
    const Unwritten unwritten = unwritten_of(trial, outcome.outputs);
    for (Finding& hole : incomplete(problem_, one_case.shape, unwritten)) {
      outcome.findings.push_back(std::move(hole));
    }
    second = compare(problem_, one_case, inputs, expected, outcome.outputs, unwritten);
    kept = second.verdict == Verdict::pass || !wrong_as_first_call(trial);
  }
  tell(outcome.findings);
  if (const Finding* cause = first_error(outcome.findings)) {
    result.verdict = Verdict::fail;
    result.explanation = when + name_and_place(*cause);
  }
  if (second.verdict == Verdict::pass) return;
  result = second;
  if (!kept) return;
  const bool replayed = before == outcome.outputs;
  if (replayed) result.explanation_kind = ExplanationKind::pattern;
  result.explanation =
      when + (replayed ? "it is the first call's result (is it kept: by its "
                         "pointers, its size, or in a variable that is never reset?)"
                       : second.explanation);
}

/// A second call right after the first: host code must not touch what copies and kernels of the
/// first may still use.
bool CaseJudge::check_unwaited(const Case& one_case) {
  const Buffers buffers = allocate(problem_, one_case.shape, device_);
  if (!buffers.complete) return true;
  events_.started(one_case);
  const Inputs inputs = make_inputs(problem_, one_case, seed_);
  call(entry_, one_case, inputs, buffers);
  constexpr int in_turn = 2;
  const Outcome outcome = limited([&] {
    return session_ ? session_->call(entry_, one_case, inputs, buffers, Poison::first, in_turn)
                    : call_on(problem_, entry_, one_case, buffers, device_, in_turn);
  });
  return is_ordered(one_case, outcome.findings,
                    "called again before the work of the first call is done");
}

bool CaseJudge::is_ordered(const Case& one_case, std::vector<Finding> findings,
                           const std::string& when) {
  device_.take_kernels();
  std::erase_if(findings, [](const Finding& one) {
    return one.kind != FindingKind::race || one.severity != Severity::error;
  });
  if (findings.empty()) return true;
  tell({findings.front()});  // the others are its neighbours
  return failed(one_case, when + ": " + name_and_place(findings.front()));
}

bool CaseJudge::check_calls_in_a_row(const Case& one_case) {
  if (!session_) return true;
  const std::vector<Parameter>& sizes = problem_.signature.integers;
  std::vector<Case> cases;
  const auto add = [&](const Shape& shape) {
    cases.push_back({legal(problem_, shape), one_case.values, one_case.reals});
  };
  Shape shape = one_case.shape;
  const auto devices = std::ranges::find_if(sizes, &Parameter::counts_devices) - sizes.begin();
  // As many with two as there may be buffers that take turns.
  for (const int count : {device_.devices(), 2, 2, 2, device_.devices()}) {
    shape[static_cast<std::size_t>(devices)] = count;
    add(shape);  // what all devices divide, two divide as well
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i].counts_devices) continue;
    Shape smaller = shape;
    smaller[i] /= 2;
    add(smaller);
    add(shape);
  }
  session_->expect(cases);
  if (void* const fresh = fresh_entry()) entry_ = fresh;
  events_.started(cases.front());
  std::vector<Finding> findings;
  limited([&] {
    findings = session_->call_in_turn(entry_, cases, seed_);
    return Outcome{};
  });
  return is_ordered(cases.front(), std::move(findings),
                    "called again with two of the devices, once more with all, and with sizes half "
                    "as large, before the work of the first call is done");
}

/// Calls in each of which one more tensor is in other memory: what is kept by the pointers of the
/// rest alone, as a captured graph may be, is taken for what it is not.
bool CaseJudge::check_moved(const Case& one_case) {
  Buffers buffers = allocate(problem_, one_case.shape, device_);
  Buffers others = allocate(problem_, one_case.shape, device_);
  if (!buffers.complete || !others.complete) return true;
  events_.started(one_case);
  call(entry_, one_case, make_inputs(problem_, one_case, seed_), buffers);
  for (std::size_t i = 0; i < buffers.tensors.size(); ++i) {
    buffers.tensors[i].trade(others.tensors[i]);
    const Inputs inputs = make_inputs(problem_, one_case, seed_ + 1 + i);
    const Outputs expected = expected_outputs(problem_, inputs, one_case);
    const Trial trial{one_case, inputs, buffers, expected};
    const Outcome moved = call(entry_, trial);
    device_.take_kernels();
    if (moved.outputs.empty()) return true;
    const CaseResult result = compared(trial, moved.outputs);
    if (result.verdict == Verdict::pass) continue;
    if (wrong_as_first_call(trial)) return true;
    return failed(one_case,
                  fmt::format("right in the call before, wrong in a call in which {} alone "
                              "is in other memory: is something kept by the other "
                              "pointers? {}",
                              problem_.signature.tensors[i].name, result.explanation));
  }
  return true;
}

namespace {

/// The shape with this size alone as large as hundredths of a second allow.
Shape grown(const Problem& problem, const Shape& small, std::size_t size) {
  constexpr double limit = 1e6;
  return largest_within(problem, limit, problem.signature.integers[size].most, [&](int wanted) {
    Shape larger = small;
    larger[size] = std::max(wanted, small[size]);
    return larger;
  });
}

}  // namespace

bool CaseJudge::check_growth() {
  constexpr double most_price = 0.3e9;
  const auto usual_calls = std::exchange(calls, Calls::once);
  bool right = true;
  for (std::size_t i = 0; i < problem_.signature.integers.size() && right; ++i) {
    const Case small{legal(problem_, small_shape(problem_, i))};
    const Case large{grown(problem_, small.shape, i)};
    void* const fresh =
        large == small || price_at_most(large) > most_price ? nullptr : fresh_entry();
    if (!fresh) continue;
    entry_ = fresh;
    for (const Case& one : {small, large}) {
      std::optional<CaseResult> result = judged_case(one);
      if (!result || result->verdict == Verdict::pass) continue;
      if (one == large)
        result->explanation =
            fmt::format("after a call with {}: {}", to_string(small.shape), result->explanation);
      events_.finished(*result);
      right = false;
      break;
    }
  }
  calls = usual_calls;
  return right;
}

}  // namespace kata
