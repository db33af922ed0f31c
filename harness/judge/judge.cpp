#include "judge/judge.h"

#include <algorithm>

#include "judge/case_judge.h"

namespace kata {

bool judge(const Problem& problem, void* entry, const std::vector<Case>& cases, std::uint64_t seed,
           Device& device, const JudgeEvents& events, const JudgeOptions& options) {
  CaseJudge one(problem, entry, seed, device, events, options);
  if (!cases.empty()) one.count_requests_of = &largest(problem, cases);
  one.expect(cases);
  const std::size_t end = std::min(options.end_case, cases.size());
  int failures = 0;
  for (std::size_t i = 0; i < end; ++i) {
    if (i > 0) device.change_schedule();  // what is right in one order only is not right
    if (i < options.first_case) continue;
    failures += !one.run(cases[i]);
    const bool last = i + 1 == cases.size();
    const bool enough = failures >= most_failures && !options.all_cases;
    if (!last && (enough || !device.usable())) {
      events.stopped(static_cast<int>(cases.size() - i - 1));
      return false;
    }
  }
  if (failures > 0) return false;
  if (end < cases.size()) return true;
  for (const RepeatedCase& one_case : options.repeated)
    if (!one.run_repeated(one_case)) return false;
  bool right = true;
  for (const Case& one_case : options.launches) right &= one.check_launches(one_case);
  return right;
}

void judge_large(const Problem& problem, void* entry, const LargeCases& cases, std::uint64_t seed,
                 Device& device, const JudgeEvents& events, const JudgeOptions& options) {
  CaseJudge one(problem, entry, seed, device, events, options);
  one.calls = CaseJudge::Calls::all_twice;
  one.expect(cases.all());
  const std::size_t end = std::min(options.end_case, cases.results());
  for (std::size_t i = options.first_case; i < end; ++i) {
    const bool right =
        i == 0 ? one.run_first_calls(cases.first_calls) && one.run_long_life(cases.long_life)
        : i <= cases.forms.size() ? one.run_growing(cases.forms[i - 1])
                                  : one.run_near_constants(cases.near_constants);
    const std::size_t left = cases.results() - i - 1;
    if (!right && left > 0) return events.stopped(static_cast<int>(left));
    if (!right) return;
  }
  if (end < cases.results() || !one.run_in_turn(cases.in_turn)) return;
  if (options.maximum.empty() && !uses_devices(problem)) return;
  std::vector<Case> small = problem.cases;
  std::erase_if(small,
                [&](const Case& of) { return work(problem, of) > most_work_of_second_call; });
  if (!small.empty()) {
    const Case& most = largest(problem, small);
    if (!one.check_unwaited(most) || !one.check_calls_in_a_row(most) || !one.check_moved(most))
      return;
  }
  if (!one.check_growth()) return;
  if (options.maximum.empty()) return;
  // Before the samples, while the shared memory that kernels have declared is at hand.
  for (const Case& near : options.launches_first)
    if (!one.check_launches(near)) return;
  if (options.before_samples) options.before_samples();
  for (const Case& largest : options.maximum) {
    if (!one.check_sample(largest)) return;
  }
  if (!one.check_rests() || !one.check_ends(options.maximum) || !one.check_steps(options.maximum) ||
      !one.check_counters())
    return;
  for (const Case& drawn : options.launches) {
    if (!one.check_launches(drawn)) return;
  }
  one.check_borders();
}

}  // namespace kata
