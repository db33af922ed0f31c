#include "judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <tuple>

#include "judge/call.h"
#include "judge/explain.h"
#include "judge/repeated.h"

namespace kata {
namespace {

/// A case that fails teaches; the fourth teaches nothing new.
constexpr int most_failures = 3;

/// How often a failing case is repeated to see whether its result changes.
constexpr int most_repetitions = 3;

/// Bytes and operations of the cases that are called a second time, with other inputs: all but the
/// few that take long.
constexpr double most_work_of_second_call = 100'000;

/// "out_of_bounds at mine.cu:7": the finding itself says the rest.
std::string name_and_place(const Finding& finding) {
  if (finding.line == 0) return to_string(finding.kind);
  const std::string file = std::filesystem::path(finding.file).filename().string();
  return fmt::format("{} at {}:{}", to_string(finding.kind), file, finding.line);
}

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

bool is_nan(const Array& output, std::size_t i) {
  return is_float(output.type()) && std::isnan(output[i]);
}

std::size_t total(const Unwritten& unwritten) {
  std::size_t sum = 0;
  for (const auto& elements : unwritten) sum += elements.size();
  return sum;
}

/// Finding output_incomplete for each output that has holes.
std::vector<Finding> incomplete(const Problem& problem, const Shape& shape,
                                const Unwritten& unwritten) {
  std::vector<Finding> findings;
  for (std::size_t o = 0; o < unwritten.size(); ++o) {
    if (unwritten[o].empty()) continue;
    const Parameter& tensor = problem.signature.outputs[o];
    const Dims dims = tensor.dims(shape);
    std::string range = element_name(tensor.name, unwritten[o].front(), dims);
    if (unwritten[o].size() > 1) {
      range += " ... " + element_name(tensor.name, unwritten[o].back(), dims);
    }
    findings.push_back(
        {.kind = FindingKind::output_incomplete,
         .message = fmt::format("{} of the {} elements of {} were never written: {}",
                                unwritten[o].size(), count(dims), tensor.name, range)});
  }
  return findings;
}

/// A case, what goes in, and what has to come out.
struct Trial {
  const Case& one_case;
  const Inputs& inputs;
  const Buffers& buffers;
  const Outputs& expected;
};

/// Judges one candidate on one device, case by case, and reports to JudgeEvents.
class Judge {
 public:
  Judge(const Problem& problem, void* entry, std::uint64_t seed, Device& device,
        const JudgeEvents& events, const JudgeOptions& options)
      : problem_(problem),
        entry_(entry),
        seed_(seed),
        device_(device),
        events_(events),
        options_(options) {}

  /// Whether the case passed.
  bool run(const Case& one_case);

  /// Whether the case passed, or takes too long to run.
  bool run_repeated(const RepeatedCase& one);

  /// Reports the launches that the case's sizes make invalid. No kernel runs.
  void check_launches(const Case& one_case);

  /// The one case whose requests are counted, the largest: counting doubles its time.
  const Case* count_requests_of = nullptr;

 private:
  Outcome call(void* entry, const Trial& trial, Poison poison = Poison::first);
  Outcome call(void* entry, const Case& one_case, const Inputs& inputs, const Buffers& buffers,
               Poison poison = Poison::first);
  CaseResult compared(const Trial& trial, const std::vector<Array>& got) const;
  Unwritten unwritten_of(const Trial& trial, const std::vector<Array>& got);
  void explain_failure(const Trial& trial, const Unwritten& unwritten, Outcome& outcome,
                       CaseResult& result);
  bool right_as_first_call(const Trial& trial);
  bool wrong_as_first_call(const Trial& trial);
  void call_again(const Trial& trial, const Outcome& before, CaseResult& result);
  void call_with_other_inputs(const Case& one_case, const Buffers& buffers,
                              const std::vector<Array>& before, CaseResult& result);
  void tell(const std::vector<Finding>& findings);
  void note_size(const Case& one_case, const Outcome& outcome);

  const Problem& problem_;
  void* entry_;
  std::uint64_t seed_;
  Device& device_;
  const JudgeEvents& events_;
  const JudgeOptions& options_;
  int cases_before_ = 0;
  std::set<std::tuple<FindingKind, std::string, int>> told_;  ///< kind, file, line
  double largest_ = -1;                                       ///< work of the largest case so far
  double seconds_of_largest_ = 0;                             ///< of the call in the same case
};

/// A source line is reported once, even if it fails several cases; so is a finding without a line.
void Judge::tell(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    if (told_.emplace(finding.kind, finding.file, finding.line).second) events_.found(finding);
  }
}

void Judge::note_size(const Case& one_case, const Outcome& outcome) {
  const std::vector<KernelRecord> kernels = device_.take_kernels();
  const double size = work(problem_, one_case);
  if (size <= largest_) return;
  largest_ = size;
  seconds_of_largest_ = outcome.seconds;
  if (!kernels.empty()) events_.counted(one_case, kernels);
}

/// One call. Only its time is limited.
Outcome Judge::call(void* entry, const Case& one_case, const Inputs& inputs, const Buffers& buffers,
                    Poison poison) {
  if (options_.before_call) options_.before_call();
  Outcome outcome = call_once(problem_, entry, one_case, inputs, buffers, device_, poison);
  if (options_.after_call) options_.after_call();
  return outcome;
}

Outcome Judge::call(void* entry, const Trial& trial, Poison poison) {
  return call(entry, trial.one_case, trial.inputs, trial.buffers, poison);
}

CaseResult Judge::compared(const Trial& trial, const std::vector<Array>& got) const {
  return compare(problem_, trial.one_case, trial.inputs, trial.expected, got,
                 find_unwritten(problem_, trial.expected, got));
}

/// Of integers a second call with other poison decides: what holds both patterns was never written.
Unwritten Judge::unwritten_of(const Trial& trial, const std::vector<Array>& got) {
  Unwritten unwritten = find_unwritten(problem_, trial.expected, got);
  const auto open = [&](std::size_t o) {
    return !unwritten[o].empty() && !is_float(got[o].type());
  };
  bool any_open = false;
  for (std::size_t o = 0; o < got.size(); ++o) any_open = any_open || open(o);
  if (!any_open || !device_.usable()) return unwritten;
  const Outcome again = call(entry_, trial, Poison::second);
  device_.take_kernels();
  if (again.outputs.empty()) return unwritten;
  for (std::size_t o = 0; o < got.size(); ++o) {
    if (!open(o)) continue;
    const std::vector<std::int64_t> poisoned = find_poison(again.outputs[o], Poison::second);
    std::erase_if(unwritten[o], [&](std::int64_t i) {
      return !std::binary_search(poisoned.begin(), poisoned.end(), i);
    });
  }
  return unwritten;
}

/// A failing case in new copies of the module: if it is right there in every order that is tried,
/// the calls before it are to blame.
bool Judge::right_as_first_call(const Trial& trial) {
  if (cases_before_ == 0 || !options_.reload) return false;
  for (int i = 0; i < most_repetitions; ++i) {
    void* const fresh = options_.reload();
    if (!fresh || !device_.usable()) return false;
    const Outcome outcome = call(fresh, trial);
    device_.take_kernels();
    if (outcome.outputs.empty() || first_error(outcome.findings)) return false;
    if (compared(trial, outcome.outputs).verdict != Verdict::pass) return false;
    device_.change_schedule();
  }
  return true;
}

/// Whether the candidate, loaded afresh, is wrong for these inputs at its first call.
bool Judge::wrong_as_first_call(const Trial& trial) {
  void* const fresh = options_.reload && device_.usable() ? options_.reload() : nullptr;
  if (!fresh) return false;
  const Outcome outcome = call(fresh, trial);
  device_.take_kernels();
  return !outcome.outputs.empty() && compared(trial, outcome.outputs).verdict != Verdict::pass;
}

/// A failing case again with the same inputs and, where the backend can, another order of blocks
/// and warps: a result that changes has a cause of its own.
void Judge::call_again(const Trial& trial, const Outcome& before, CaseResult& result) {
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
  for (int i = 0; i < most_repetitions && device_.usable(); ++i) {
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
  if (right_again) {
    result.explanation = "right when it is called again: " + differs +
                         ", so each result arrives one call late (is it copied before a kernel "
                         "computes it?)";
    return;
  }
  differs = "different in each run: " + differs +
            ", so it depends on the order of threads or blocks (is a barrier or an atomic missing, "
            "or does the last thread to write win?)";
  tell({{.kind = FindingKind::nondeterministic, .message = differs}});
  result.explanation = differs + "; in the first run, " + result.explanation;
  result.explanation_kind = ExplanationKind::nondeterministic;
}

/// Other inputs in the buffers of a case that came out right: a result, a counter or a flag that
/// the candidate keeps from one call to the next shows.
void Judge::call_with_other_inputs(const Case& one_case, const Buffers& buffers,
                                   const std::vector<Array>& before, CaseResult& result) {
  const Inputs inputs = make_inputs(problem_, one_case, ~seed_);
  Outcome outcome = call(entry_, one_case, inputs, buffers);
  device_.take_kernels();
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

/// Why the values of a case are wrong, beyond what they show themselves.
void Judge::explain_failure(const Trial& trial, const Unwritten& unwritten, Outcome& outcome,
                            CaseResult& result) {
  const Finding* const cause = first_error(outcome.findings);
  for (std::size_t o = 0; cause && cause->line > 0 && o < outcome.outputs.size(); ++o) {
    const Array& output = outcome.outputs[o];
    bool has_nan = false;
    for (std::size_t i = 0; i < output.size(); ++i) has_nan = has_nan || is_nan(output, i);
    if (!has_nan || total(unwritten) > 0) continue;
    result.explanation =
        fmt::format("NaN in {}: {}", problem_.signature.outputs[o].name, name_and_place(*cause));
    result.explanation_kind = ExplanationKind::uncertain;
    break;
  }
  call_again(trial, outcome, result);
}

bool Judge::run(const Case& one_case) {
  const std::string name = name_of(problem_, one_case);
  events_.started(one_case);
  const Buffers buffers = allocate(problem_, one_case.shape, device_);
  CaseResult result{.name = name,
                    .tested = one_case,
                    .verdict = Verdict::fail,
                    .of = output_elements(problem_, one_case.shape)};
  if (!buffers.complete) {
    result.verdict = Verdict::error;
    result.explanation = "there is not enough device memory for this size";
    events_.finished(result);
    return false;
  }
  const Inputs inputs = make_inputs(problem_, one_case, seed_);
  device_.count_requests(&one_case == count_requests_of);
  Outcome outcome = call(entry_, one_case, inputs, buffers);
  if (device_.usable() && device_.stop_side_by_side()) {
    device_.take_kernels();
    void* const fresh = options_.reload ? options_.reload() : nullptr;
    if (fresh) entry_ = fresh;  // a first call again
    outcome = call(entry_, one_case, inputs, buffers);
  }
  device_.count_requests(false);
  note_size(one_case, outcome);

  Unwritten unwritten;
  if (outcome.outputs.empty()) {
    tell(outcome.findings);
  } else {
    // Not before the call: there was nothing yet that a candidate could find and copy.
    const Outputs expected = expected_outputs(problem_, inputs, one_case);
    const Trial trial{one_case, inputs, buffers, expected};
    unwritten = unwritten_of(trial, outcome.outputs);
    for (Finding& hole : incomplete(problem_, one_case.shape, unwritten)) {
      outcome.findings.push_back(std::move(hole));
    }
    tell(outcome.findings);
    result = compare(problem_, one_case, inputs, expected, outcome.outputs, unwritten);
    if (result.verdict == Verdict::fail) explain_failure(trial, unwritten, outcome, result);
  }
  ++cases_before_;
  const Finding* const cause = first_error(outcome.findings);
  if (cause && outcome.outputs.empty()) {
    result.explanation = "the run ended with " + name_and_place(*cause);
  } else if (cause && result.verdict == Verdict::pass) {
    result.explanation =
        "the output is correct, but the run has an error: " + name_and_place(*cause);
    result.explanation_kind = ExplanationKind::finding;
  } else if (cause && static_cast<std::int64_t>(total(unwritten)) == result.of &&
             cause->kind != FindingKind::output_incomplete) {
    result.explanation = "nothing was written: " + name_and_place(*cause);
  }
  if (cause) result.verdict = Verdict::fail;
  if (result.verdict == Verdict::pass && work(problem_, one_case) <= most_work_of_second_call) {
    call_with_other_inputs(one_case, buffers, outcome.outputs, result);
  }
  events_.finished(result);
  return result.verdict == Verdict::pass;
}

bool Judge::run_repeated(const RepeatedCase& one) {
  constexpr double most_s = 5;
  const Case whole = one.whole();
  if (seconds_of_largest_ * work(problem_, whole) / largest_ > most_s) return true;
  const Buffers buffers = allocate(problem_, one.shape, device_);
  if (!buffers.complete) return true;  // a small GPU
  events_.started(whole);
  const Inputs pattern = make_inputs(problem_, one.pattern, seed_);
  prepare_repeated(problem_, pattern, buffers, device_);
  if (options_.before_call) options_.before_call();
  const Outcome outcome = call_on(problem_, entry_, whole, buffers, device_);
  if (options_.after_call) options_.after_call();
  device_.take_kernels();
  tell(outcome.findings);
  CaseResult result{.name = name_of(problem_, whole), .tested = whole};
  if (device_.usable()) {
    const Outputs expected = expected_outputs(problem_, pattern, one.pattern);
    result = compare_repeated(problem_, one, expected, buffers, device_);
  }
  if (const Finding* cause = first_error(outcome.findings)) {
    result.verdict = Verdict::fail;
    if (!result.first_bad) result.explanation = "the run ended with " + name_and_place(*cause);
  }
  events_.finished(result);
  return result.verdict == Verdict::pass;
}

void Judge::check_launches(const Case& one_case) {
  events_.started(one_case);
  const Buffers buffers = allocate(problem_, one_case.shape, device_);
  if (!buffers.complete) return;
  const Inputs inputs = make_inputs(problem_, one_case, seed_);
  device_.run_kernels(false);
  std::vector<Finding> findings = call(entry_, one_case, inputs, buffers).findings;
  device_.run_kernels(true);
  std::erase_if(findings,
                [](const Finding& one) { return one.kind != FindingKind::invalid_launch; });
  if (findings.empty()) return;
  tell(findings);
  events_.finished(
      {.name = name_of(problem_, one_case),
       .tested = one_case,
       .verdict = Verdict::fail,
       .of = output_elements(problem_, one_case.shape),
       .explanation = "a launch is refused at this size: " + name_and_place(findings.front())});
}

}  // namespace

void judge(const Problem& problem, void* entry, const std::vector<Case>& cases, std::uint64_t seed,
           Device& device, const JudgeEvents& events, const JudgeOptions& options) {
  Judge one(problem, entry, seed, device, events, options);
  if (!cases.empty()) one.count_requests_of = &largest(problem, cases);
  int failures = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (i > 0) device.change_schedule();  // what is right in one order only is not right
    failures += !one.run(cases[i]);
    const bool last = i + 1 == cases.size();
    const bool enough = failures >= most_failures && !options.all_cases;
    if (!last && (enough || !device.usable())) {
      return events.stopped(static_cast<int>(cases.size() - i - 1));
    }
  }
  if (failures > 0) return;
  for (const RepeatedCase& one_case : options.repeated) {
    if (!one.run_repeated(one_case)) return;
  }
  for (const Case& one_case : options.launches) one.check_launches(one_case);
}

}  // namespace kata
