#include "judge/case_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "judge/explain.h"
#include "judge/poison.h"
#include "judge/shapes.h"

namespace kata {
namespace {

bool is_nan(const Array& output, std::size_t i) {
  return is_float(output.type()) && std::isnan(output[i]);
}

std::size_t total(const Unwritten& unwritten) {
  std::size_t sum = 0;
  for (const auto& elements : unwritten) sum += elements.size();
  return sum;
}

}  // namespace

std::string name_and_place(const Finding& finding) {
  if (finding.line == 0) return to_string(finding.kind);
  const std::string file = std::filesystem::path(finding.file).filename().string();
  return fmt::format("{} at {}:{}", to_string(finding.kind), file, finding.line);
}

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

bool CaseJudge::failed(const Case& one_case, std::string explanation) {
  events_.finished({.name = name_of(problem_, one_case),
                    .tested = one_case,
                    .verdict = Verdict::fail,
                    .of = output_elements(problem_, one_case.shape),
                    .explanation = std::move(explanation)});
  return false;
}

/// A source line is reported once, even if it fails several cases; so is a finding without a line.
void CaseJudge::tell(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    if (told_.emplace(finding.kind, finding.file, finding.line).second) events_.found(finding);
  }
}

void CaseJudge::note_size(const Case& one_case, const Outcome& outcome) {
  const std::vector<KernelRecord> kernels = device_.take_kernels();
  const double size = work(problem_, one_case);
  if (size <= largest_) return;
  largest_ = size;
  seconds_of_largest_ = outcome.seconds;
  if (!kernels.empty()) events_.counted(one_case, kernels);
}

double processor_seconds_since(std::clock_t began) {
  return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
}

bool CaseJudge::calls_twice(const Case& one_case) const {
  constexpr double most_price = 0.3e9;
  if (calls == Calls::once) return false;
  return calls == Calls::all_twice
             ? price(problem_, one_case.shape) + price_of_kernels_ <= most_price
             : work(problem_, one_case) <= most_work_of_second_call;
}

double CaseJudge::price_at_most(const Case& one_case) const {
  constexpr double much = 1e6;
  if (priced_.empty()) return 0;
  // Whatever its work is.
  const double of_a_call = std::ranges::min(priced_, {}, &Priced::price).price;
  double of_work = 0;
  for (const Priced& one : priced_)
    if (one.price - of_a_call > much)
      of_work = std::max(of_work, (one.price - of_a_call) / one.work);
  return of_a_call + of_work * work(problem_, one_case);
}

double CaseJudge::price_by_sizes(const Case& one_case) const {
  double least = std::numeric_limits<double>::infinity();
  for (const Priced& one : priced_) {
    double grown = one.price;
    for (std::size_t i = 0; i < one.shape.size(); ++i)
      grown *= std::max(1.0, (1.0 + one_case.shape[i]) / (1.0 + one.shape[i]));
    least = std::min(least, grown);
  }
  return least;
}

double CaseJudge::take_price() {
  constexpr double of_a_switch = 45;
  return of_a_switch * static_cast<double>(device_.take_switches());
}

/// One call.
Outcome CaseJudge::call(void* entry, const Case& one_case, const Inputs& inputs,
                        const Buffers& buffers, Poison poison) {
  return limited([&] {
    return session_ ? session_->call(entry, one_case, inputs, buffers, poison)
                    : call_once(problem_, entry, one_case, inputs, buffers, device_, poison);
  });
}

void* CaseJudge::fresh_entry() {
  void* const fresh = options_.reload && device_.usable() ? options_.reload() : nullptr;
  if (fresh && session_) session_->begin();
  return fresh;
}

Outcome CaseJudge::call(void* entry, const Trial& trial, Poison poison) {
  return call(entry, trial.one_case, trial.inputs, trial.buffers, poison);
}

CaseResult CaseJudge::compared(const Trial& trial, const std::vector<Array>& got) const {
  return compare(problem_, trial.one_case, trial.inputs, trial.expected, got,
                 find_unwritten(problem_, trial.expected, got));
}

/// Of integers a second call with other poison decides: what holds both patterns was never written.
Unwritten CaseJudge::unwritten_of(const Trial& trial, const std::vector<Array>& got) {
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

/// Why the values of a case are wrong, beyond what they show themselves.
void CaseJudge::explain_failure(const Trial& trial, const Unwritten& unwritten, Outcome& outcome,
                                CaseResult& result) {
  const auto unset = std::ranges::find_if(outcome.findings, [](const Finding& one) {
    return one.kind == FindingKind::uninitialized && one.severity == Severity::error;
  });
  const Finding* const cause =
      unset != outcome.findings.end() ? &*unset : first_error(outcome.findings);
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

/// What one call came to. Tells its findings.
CaseResult CaseJudge::judged(const Case& one_case, const Inputs& inputs, const Buffers& buffers,
                             Outcome& outcome) {
  CaseResult result{.name = name_of(problem_, one_case),
                    .tested = one_case,
                    .verdict = Verdict::fail,
                    .of = output_elements(problem_, one_case.shape)};
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
    result.explanation = "the run stopped: " + name_and_place(*cause);
  } else if (cause && result.verdict == Verdict::pass) {
    result.explanation = "the output is correct, but the kernel is not: " + name_and_place(*cause);
    result.explanation_kind = ExplanationKind::finding;
  } else if (cause && static_cast<std::int64_t>(total(unwritten)) == result.of &&
             cause->kind != FindingKind::output_incomplete) {
    result.explanation = "nothing was written: " + name_and_place(*cause);
  }
  if (cause) result.verdict = Verdict::fail;
  return result;
}

bool CaseJudge::gave_up(const Outcome& outcome) {
  if (!outcome.ended_slow || first_error(outcome.findings)) return false;
  events_.takes_too_long();
  if (void* const fresh = fresh_entry()) entry_ = fresh;
  return true;
}

std::optional<CaseResult> CaseJudge::judged_case(const Case& one_case) {
  events_.started(one_case);
  const Buffers buffers = allocate(problem_, one_case.shape, device_);
  if (!buffers.complete) {
    return CaseResult{.name = name_of(problem_, one_case),
                      .tested = one_case,
                      .verdict = Verdict::error,
                      .explanation = "there is not enough device memory for this size"};
  }
  const Inputs inputs = make_inputs(problem_, one_case, seed_);
  device_.count_requests(&one_case == count_requests_of);
  take_price();
  const std::clock_t began = std::clock();
  Outcome outcome = call(entry_, one_case, inputs, buffers);
  processor_seconds_ = processor_seconds_since(began);
  price_of_kernels_ = take_price();
  priced_.push_back({one_case.shape, work(problem_, one_case), price_of_kernels_});
  std::optional<Outcome> side_by_side;
  if (device_.usable() && device_.stop_side_by_side()) {
    device_.take_kernels();
    if (void* const fresh = fresh_entry()) entry_ = fresh;  // a first call again
    side_by_side = std::exchange(outcome, call(entry_, one_case, inputs, buffers));
  }
  device_.count_requests(false);
  if (gave_up(outcome) || (side_by_side && gave_up(*side_by_side))) return {};
  note_size(one_case, outcome);

  CaseResult result = judged(one_case, inputs, buffers, outcome);
  // What is right as a first call may have been wrong in the call that it took the place of.
  if (result.verdict == Verdict::pass && side_by_side)
    result = judged(one_case, inputs, buffers, *side_by_side);
  if (result.verdict == Verdict::pass && calls_twice(one_case))
    call_with_other_inputs(one_case, buffers, outcome.outputs, result);
  return result;
}

bool CaseJudge::run(const Case& one_case) {
  const std::optional<CaseResult> result = judged_case(one_case);
  if (result) events_.finished(*result);
  return !result || result->verdict == Verdict::pass;
}

namespace {

/// Of kernels, beyond which a case is not run.
constexpr double most_price_of_a_case = 1.3e9;

/// What grows with the work of cases, at most as its square.
class Growth {
 public:
  /// The exponent that holds until two cases have shown a better one.
  explicit Growth(double exponent) : exponent_(exponent) {}

  double expected(double work) const {
    return work_ > 0 ? amount_ * std::pow(work / work_, exponent_) : 0;
  }
  void add(double work, double amount) {
    if (work_ > 0 && work > work_)
      exponent_ = std::clamp(std::log(amount / amount_) / std::log(work / work_), 1.0, 2.0);
    work_ = work;
    amount_ = amount;
  }

 private:
  double exponent_, work_ = 0, amount_ = 0;
};

/// "17x3 and 1x1"; one, where there is no more.
std::string last_two_before(const std::vector<Case>& cases, std::size_t i) {
  return (i > 1 ? to_string(cases[i - 2].shape) + " and " : "") + to_string(cases[i - 1].shape);
}

}  // namespace

/// Prices decide how far it goes, so that each machine runs the same cases. Only kernels that
/// take far longer than their launches show end it by the time that they took.
bool CaseJudge::run_growing(const GrowingCases& cases) {
  constexpr double least_price = 1e5, little = 0.1e9, most_s = 4, least_s = 1e-3;
  CaseResult result;
  Growth launched(1), other_s(2);
  device_.reverse_schedule();  // blocks may wait for one that does not begin before they are over
  // Where many short rows have cost much, long ones may cost little.
  const bool is_dear = price_at_most(cases.front()) > most_price_of_a_case;
  const double most_price = is_dear ? little : most_price_of_a_case;
  for (const Case& one : cases) {
    const double next = work(problem_, one);
    const double price = &one != &cases.front() ? launched.expected(next)
                         : is_dear              ? price_by_sizes(one)
                                                : price_at_most(one);
    if (price > most_price || other_s.expected(next) > most_s) {
      events_.takes_too_long();
      break;
    }
    const std::optional<CaseResult> next_result = judged_case(one);
    if (!next_result) break;
    result = *next_result;
    if (result.verdict != Verdict::pass) break;
    launched.add(next, std::max(least_price, price_of_kernels_));
    other_s.add(next, std::max(least_s, processor_seconds_ - 2e-9 * price_of_kernels_));
  }
  events_.finished(result);
  return result.verdict == Verdict::pass;
}

bool CaseJudge::run_first_calls(const std::vector<Case>& cases) {
  const auto usual_calls = std::exchange(calls, Calls::once);
  void* const usual_entry = entry_;
  bool right = true;
  double spent = 0;
  for (const Case& one : cases) {
    if (!right || !device_.usable() || spent > most_price_of_a_case) break;
    if (void* const fresh = fresh_entry()) entry_ = fresh;
    std::optional<CaseResult> result = judged_case(one);
    spent += price_of_kernels_;
    if (!result || result->verdict == Verdict::pass) continue;
    right = false;
    result->explanation = "as the first call of a process: " + result->explanation;
    events_.finished(*result);
  }
  calls = usual_calls;
  entry_ = usual_entry;
  return right;
}

bool CaseJudge::run_long_life(const std::vector<Case>& cases) {
  constexpr double most_price = 0.3e9;  // many blocks cost much at any size
  CaseResult result;
  double spent = 0;
  std::size_t i = 0, too_long = 0;
  for (; i < cases.size() && (i < least_of_a_life || spent < most_price); ++i) {
    if (price_at_most(cases[i]) > most_price) {
      ++too_long;
      continue;
    }
    const std::optional<CaseResult> next = judged_case(cases[i]);
    if (!next) break;
    result = *next;
    spent += price_of_kernels_;
    if (result.verdict != Verdict::pass) {
      if (i > 0)
        result.explanation = fmt::format("in call {} of one process, after {}: {}", 2 * i + 1,
                                         last_two_before(cases, i), result.explanation);
      break;
    }
    if (!device_.usable()) break;
    device_.change_schedule();
  }
  if (too_long > 0) events_.takes_too_long();
  if (result.verdict == Verdict::pass)
    result.name = fmt::format("{} calls of mixed sizes", 2 * (i - too_long));
  events_.finished(result);
  return result.verdict == Verdict::pass;
}

bool CaseJudge::run_in_turn(const std::vector<Case>& cases) {
  constexpr double most_price = 0.3e9;
  const auto usual_calls = std::exchange(calls, Calls::once);
  const std::uint64_t usual_seed = seed_;
  CaseResult result;
  result.verdict = Verdict::pass;
  double spent = 0;
  bool is_too_long = false;
  std::size_t i = 0;
  for (; i < cases.size() && spent < most_price && device_.usable(); ++i) {
    if (price_at_most(cases[i]) > most_price_of_a_case) {
      is_too_long = true;
      continue;
    }
    ++seed_;  // what an earlier call left may not be right again
    device_.change_schedule();
    const std::optional<CaseResult> next = judged_case(cases[i]);
    if (!next) break;
    result = *next;
    spent += price_of_kernels_;
    if (result.verdict != Verdict::pass) break;
  }
  calls = usual_calls;
  seed_ = usual_seed;
  if (is_too_long) events_.takes_too_long();
  if (result.verdict == Verdict::pass) return true;
  if (i > 0)
    result.explanation =
        fmt::format("after calls of {}: {}", last_two_before(cases, i), result.explanation);
  events_.finished(result);
  return false;
}

}  // namespace kata
