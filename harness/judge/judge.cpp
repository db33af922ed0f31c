#include "judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <tuple>

#include "judge/call.h"
#include "judge/explain.h"

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

/// The first element that two runs disagree on by more than rounding, if there is one.
std::optional<std::size_t> difference(const std::vector<float>& first,
                                      const std::vector<float>& second, const Expected& expected) {
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (std::isnan(first[i]) && std::isnan(second[i])) continue;
    const double distance = std::fabs(static_cast<double>(first[i]) - second[i]);
    if (first[i] != second[i] && !(distance <= expected.tolerance[i])) return i;
  }
  return {};
}

/// A NaN that somebody wrote.
bool has_nan(const std::vector<float>& output) {
  return std::any_of(output.begin(), output.end(), [](float value) {
    return std::isnan(value) && std::bit_cast<std::uint32_t>(value) != poison_bits;
  });
}

/// One candidate on one device: runs case after case and tells what it sees.
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

  /// Counting takes about twice the time: it is done in the case that is told, the largest.
  const Case* count_requests_of = nullptr;

 private:
  bool right_as_first_call(const Case& one_case, const Inputs& inputs, const Buffers& buffers,
                           const Expected& expected);
  void call_again(const Case& one_case, const Inputs& inputs, const Buffers& buffers,
                  const Expected& expected, const Outcome& before, CaseResult& result);
  void call_with_other_inputs(const Case& one_case, const Buffers& buffers,
                              const std::vector<float>& before, CaseResult& result);
  void tell(const std::vector<Finding>& findings);
  void count_launches(const Case& one_case, const std::vector<KernelRecord>& kernels);

  const Problem& problem_;
  void* entry_;
  std::uint64_t seed_;
  Device& device_;
  const JudgeEvents& events_;
  const JudgeOptions& options_;
  int cases_before_ = 0;
  std::set<std::tuple<FindingKind, std::string, int>> told_;  ///< kind, file, line
  double largest_ = -1;                                       ///< work of the largest case so far
};

/// The same source line is told once, however many cases it spoils; so is what has no line.
void Judge::tell(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    if (told_.emplace(finding.kind, finding.file, finding.line).second) events_.found(finding);
  }
}

void Judge::count_launches(const Case& one_case, const std::vector<KernelRecord>& kernels) {
  const double size = work(problem_, one_case);
  if (kernels.empty() || size <= largest_) return;
  largest_ = size;
  events_.counted(to_string(one_case), kernels);
}

/// A failing case in new copies of the module: if it is right there in every order that is tried,
/// the calls before it are to blame.
bool Judge::right_as_first_call(const Case& one_case, const Inputs& inputs, const Buffers& buffers,
                                const Expected& expected) {
  if (cases_before_ == 0 || !options_.reload) return false;
  for (int i = 0; i < most_repetitions; ++i) {
    void* const fresh = options_.reload();
    if (!fresh || !device_.usable()) return false;
    const Outcome outcome = call_once(problem_, fresh, one_case.shape, inputs, buffers, device_);
    device_.take_kernels();
    if (outcome.output.empty() || first_error(outcome.findings)) return false;
    const CaseResult result = compare(problem_, one_case, expected, outcome.output, inputs);
    if (result.verdict != Verdict::pass) return false;
    device_.change_schedule();
  }
  return true;
}

/// A failing case again with the same inputs and, where the backend can, another order of blocks
/// and warps: a result that changes has a cause of its own.
void Judge::call_again(const Case& one_case, const Inputs& inputs, const Buffers& buffers,
                       const Expected& expected, const Outcome& before, CaseResult& result) {
  const bool has_race = has_kind(before.findings, FindingKind::race);
  if (!has_race && right_as_first_call(one_case, inputs, buffers, expected)) {
    result.explanation =
        "right as the first call of a process, wrong after others: something is kept from call to "
        "call (a static or __device__ variable, memory that is set once, or shared memory that is "
        "read early because a barrier is missing?); here, " +
        result.explanation;
    return;
  }
  std::string differs;
  bool right_again = !has_race;
  for (int i = 0; i < most_repetitions && device_.usable(); ++i) {
    device_.change_schedule();
    const Outcome again = call_once(problem_, entry_, one_case.shape, inputs, buffers, device_);
    device_.take_kernels();
    tell(again.findings);
    if (again.output.empty()) return;
    right_again =
        right_again &&
        compare(problem_, one_case, expected, again.output, inputs).verdict == Verdict::pass;
    const auto at = difference(before.output, again.output, expected);
    if (!at && differs.empty()) continue;
    if (differs.empty()) {
      const std::string name = element_name(problem_.output.name, static_cast<std::int64_t>(*at),
                                            problem_.output.dims(one_case.shape));
      differs = fmt::format("{} was {}, then {} with the same inputs", name,
                            number(before.output[*at]), number(again.output[*at]));
    }
    if (!right_again) break;
  }
  if (differs.empty()) return;
  if (right_again) {
    result.explanation = "right when it is called again: " + differs +
                         ", so what one call computes shows in the next (is the result copied "
                         "before it is made?)";
    return;
  }
  differs = "different at each run: " + differs +
            ", so it depends on the order of threads or blocks (is a barrier or an atomic missing, "
            "or does the last one win?)";
  tell({{.kind = FindingKind::nondeterministic, .message = differs}});
  result.explanation = differs + "; in the first, " + result.explanation;
}

/// Other inputs in the buffers of a case that came out right: a result, a counter or a flag that
/// the candidate keeps from one call to the next shows.
void Judge::call_with_other_inputs(const Case& one_case, const Buffers& buffers,
                                   const std::vector<float>& before, CaseResult& result) {
  const Inputs inputs = make_inputs(problem_, one_case, ~seed_);
  const Outcome outcome = call_once(problem_, entry_, one_case.shape, inputs, buffers, device_);
  device_.take_kernels();
  tell(outcome.findings);
  const char* const when = "right at the first call, wrong at the second, with other inputs: ";
  if (const Finding* cause = first_error(outcome.findings)) {
    result.verdict = Verdict::fail;
    result.explanation = when + name_and_place(*cause);
  }
  if (outcome.output.empty()) return;
  const Expected expected = problem_.reference(inputs, one_case.shape);
  const CaseResult second = compare(problem_, one_case, expected, outcome.output, inputs);
  if (second.verdict == Verdict::pass) return;
  result = second;
  const bool replayed = same_bits(before, outcome.output);
  result.explanation =
      when + (replayed ? "it is the first call's result (is it kept: by its "
                         "pointers, its size, or in a variable that is never reset?)"
                       : second.explanation);
}

bool Judge::run(const Case& one_case) {
  events_.started(to_string(one_case));
  const Shape& shape = one_case.shape;
  const Buffers buffers = allocate(problem_, shape, device_);
  if (!buffers.complete) {
    events_.finished({.name = to_string(one_case),
                      .verdict = Verdict::error,
                      .of = count(problem_.output.dims(shape)),
                      .explanation = "there is not enough device memory for this size"});
    return false;
  }
  const Inputs inputs = make_inputs(problem_, one_case, seed_);
  device_.count_requests(&one_case == count_requests_of);
  const Outcome outcome = call_once(problem_, entry_, shape, inputs, buffers, device_);
  device_.count_requests(false);
  count_launches(one_case, device_.take_kernels());
  tell(outcome.findings);

  const Finding* const cause = first_error(outcome.findings);
  CaseResult result{.name = to_string(one_case),
                    .verdict = Verdict::fail,
                    .of = count(problem_.output.dims(shape))};
  if (!outcome.output.empty()) {
    // Not before the call: there was nothing yet that a candidate could find and copy.
    const Expected expected = problem_.reference(inputs, shape);
    result = compare(problem_, one_case, expected, outcome.output, inputs);
    if (result.verdict == Verdict::fail) {
      if (cause && cause->line > 0 && has_nan(outcome.output) &&
          find_unwritten(outcome.output).empty()) {
        result.explanation =
            fmt::format("NaN in {}: {}", problem_.output.name, name_and_place(*cause));
      }
      call_again(one_case, inputs, buffers, expected, outcome, result);
    }
  }
  ++cases_before_;
  if (cause && outcome.output.empty()) {
    result.explanation = "the run ended with " + name_and_place(*cause);
  } else if (cause && result.verdict == Verdict::pass) {
    result.explanation = "the values are right, but not the run: " + name_and_place(*cause);
  } else if (cause && find_unwritten(outcome.output).size() == outcome.output.size() &&
             cause->kind != FindingKind::output_incomplete) {
    result.explanation = "nothing was written: " + name_and_place(*cause);
  }
  if (cause) result.verdict = Verdict::fail;
  if (result.verdict == Verdict::pass && work(problem_, one_case) <= most_work_of_second_call) {
    call_with_other_inputs(one_case, buffers, outcome.output, result);
  }
  events_.finished(result);
  return result.verdict == Verdict::pass;
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
}

}  // namespace kata
