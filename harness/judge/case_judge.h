#pragma once
// One candidate on one device: what is done with a case, and what is said of it.

#include <ctime>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "judge/call.h"
#include "judge/judge.h"
#include "judge/session.h"

namespace kata {

/// A case, what goes in, and what has to come out.
struct Trial {
  const Case& one_case;
  const Inputs& inputs;
  const Buffers& buffers;
  const Outputs& expected;
};

/// A case that has been called, and what its kernels cost, in nanoseconds, roughly.
struct LaunchedCase {
  Case one;
  double price;
  std::vector<double> logarithms;  ///< of the sizes, and one more each
};

/// Few blocks of a large launch may have to do all of its work.
constexpr double most_s_of_a_sample = 4;

/// Of this process, all threads together.
double processor_seconds_since(std::clock_t began);

/// All is 0, and the inputs count as unwritten: so do first reads of them (Sample::reads).
void zero_unread_inputs(const Problem& problem, const Buffers& buffers, Device& device);

/// Judges one candidate on one device, case by case, and reports to JudgeEvents.
class CaseJudge {
 public:
  CaseJudge(const Problem& problem, void* entry, std::uint64_t seed, Device& device,
            const JudgeEvents& events, const JudgeOptions& options)
      : problem_(problem),
        entry_(entry),
        seed_(seed),
        device_(device),
        events_(events),
        options_(options) {
    if (uses_devices(problem)) session_.emplace(problem, device);
  }

  /// These come, and others that are no larger.
  void expect(const std::vector<Case>& cases) {
    if (session_) session_->expect(cases);
  }

  /// Whether the case passed.
  bool run(const Case& one_case);

  /// Whether these came out right, each in a copy of the module of its own. Says nothing if they
  /// did.
  bool run_first_calls(const std::vector<Case>& cases);

  /// Whether all of these, each called twice, came out right. They count as one case.
  bool run_long_life(const std::vector<Case>& cases);

  /// Whether these came out right, called once each, with other inputs each time. Says nothing if
  /// they did.
  bool run_in_turn(const std::vector<Case>& cases);

  /// Whether these came out right, as far as there is time for them. They count as one case.
  bool run_growing(const GrowingCases& cases);

  /// Whether all of these came out right that a second leaves time for. They count as one case.
  bool run_near_constants(const std::vector<std::vector<Case>>& groups);

  /// Whether this call may follow another that nobody has waited for. Says nothing if it may.
  bool check_unwaited(const Case& one_case);

  /// The same of calls with as many devices as there may be, then with two of them, and with all
  /// again, then with one size after the other half as large and with all as before: an order that
  /// holds between calls of the same devices is none for one that was left out, nor a place that is
  /// another one with other sizes.
  bool check_calls_in_a_row(const Case& one_case);

  /// Whether calls came out right in which one tensor after the other is in other memory. Says
  /// nothing if they did.
  bool check_moved(const Case& one_case);

  /// Whether a second call in which one small size has grown to many times itself came out right,
  /// for each size: what the first call has allocated may be too small. Says nothing if all did.
  bool check_growth();

  /// Whether what some blocks did at this size is right, as far as that can be told. Says nothing
  /// if it is.
  bool check_sample(const Case& one_case);

  /// The same where one size is a little more than a multiple of what a block of the grid takes,
  /// and of the blocks: what is computed in float, or in too few bits, leaves out the rest.
  bool check_rests();

  /// Whether a few blocks come to the right result at these sizes, as far as that can be told,
  /// where inputs are 0 but for both ends. Says nothing if they do.
  bool check_ends(const std::vector<Case>& largest);

  /// Whether no step between others, at these sizes, stops before the last of what blocks have left
  /// to it, where it comes to the last at smaller sizes. Says nothing if none does.
  bool check_steps(const std::vector<Case>& largest);

  /// Whether no large launch has a first block that counts fewer equal elements than it reads, by a
  /// multiple of 2^16. Says nothing if none has, or if that cannot be known.
  bool check_counters();

  /// Whether the case passed, or takes too long to run.
  bool run_repeated(const RepeatedCase& one);

  /// Whether no launch is invalid at the case's sizes. No kernel runs. Says nothing if none is.
  bool check_launches(const Case& one_case);

  /// The same along each size alone, twice as large each time; where other kernels are launched
  /// than before, on both sides of the border, which may be computed from what a block may use.
  /// Says nothing if no launch is invalid.
  bool check_borders();

  /// The one case whose requests are counted, the largest: counting doubles its time.
  const Case* count_requests_of = nullptr;

  /// Which cases are called twice: some, or also the largest, but those that take long themselves.
  enum class Calls { some_twice, all_twice, once };
  Calls calls = Calls::some_twice;

 private:
  Outcome call(void* entry, const Trial& trial, Poison poison = Poison::first);
  Outcome call(void* entry, const Case& one_case, const Inputs& inputs, const Buffers& buffers,
               Poison poison = Poison::first);
  Outcome call_prepared(const Case& one_case, const Buffers& buffers);
  /// The entry function of a fresh copy of the module; null if that is not possible.
  void* fresh_entry();
  /// What is wrong if a kernel does nothing at this size that does so at smaller ones.
  std::string idle_kernel(const Case& one_case, const Sample& sample);
  /// The same with some blocks of each launch. The next call is of a fresh copy of the module.
  std::pair<std::vector<Finding>, Sample> call_sampled(const Case& one_case, const Buffers& buffers,
                                                       Blocks which);
  /// What `call` returns. Only its time is limited.
  template <class Call>
  Outcome limited(Call call) const {
    if (options_.before_call) options_.before_call();
    Outcome outcome = call();
    if (options_.after_call) options_.after_call();
    return outcome;
  }
  CaseResult compared(const Trial& trial, const std::vector<Array>& got) const;
  Unwritten unwritten_of(const Trial& trial, const std::vector<Array>& got);
  void explain_failure(const Trial& trial, const Unwritten& unwritten, Outcome& outcome,
                       CaseResult& result);
  bool right_as_first_call(const Trial& trial);
  bool wrong_as_first_call(const Trial& trial);
  void call_again(const Trial& trial, const Outcome& before, CaseResult& result);
  CaseResult judged(const Case& one_case, const Inputs& inputs, const Buffers& buffers,
                    Outcome& outcome);
  /// Nothing if it takes too long.
  std::optional<CaseResult> judged_case(const Case& one_case);
  /// Says that the call was too slow to judge, if it was. The next one is of a fresh copy.
  bool gave_up(const Outcome& outcome);
  bool calls_twice(const Case& one_case) const;
  /// How often a failing case is repeated to see whether its result changes.
  int repetitions() const { return calls == Calls::some_twice ? 3 : 1; }
  std::optional<double> price_if_right(const Case& one, const Buffers& buffers, double left_s);
  /// Whether these came out right once more, as far as a part of their price goes.
  bool run_again(const std::vector<LaunchedCase>& cases, double most_s);
  std::optional<FirstReads> most_of_first_block(const Shape& shape);
  /// Where those blocks run and all inputs are 0. Empty if there is no memory for it.
  Sample sample_of_zeros(const Case& one_case, Blocks which);
  /// check_sample(), and what its blocks have written.
  std::optional<Sample> sample_if_right(const Case& one_case);
  /// Says that the kernel is wrong there; false.
  bool failed(const Case& one_case, std::string explanation);
  /// Nothing if the outputs do not show it. `readers`: the blocks of the launch that reads most.
  std::optional<CaseResult> judged_at_ends(const Case& one_case, std::uint64_t* readers = nullptr);
  void call_with_other_inputs(const Case& first, const Buffers& buffers,
                              const std::vector<Array>& before, CaseResult& result);
  void tell(const std::vector<Finding>& findings);
  /// Whether there is no race among what calls that nobody waited for have led to. Tells it.
  bool is_ordered(const Case& one_case, std::vector<Finding> findings, const std::string& when);
  /// Of the kernels since the last call, in nanoseconds, roughly: the same on each machine.
  double take_price();
  void note_size(const Case& one_case, const Outcome& outcome);
  /// What its kernels cost at most, as cases before show; 0 where each of them costs little.
  double price_at_most(const Case& one_case) const;
  /// The same where no size costs more than in proportion.
  double price_by_sizes(const Case& one_case) const;

  /// A case, and what its kernels have cost.
  struct Priced {
    Shape shape;
    double work, price;
  };

  const Problem& problem_;
  void* entry_;
  std::uint64_t seed_;
  Device& device_;
  const JudgeEvents& events_;
  const JudgeOptions& options_;
  std::optional<Session> session_;  ///< of a problem for several devices
  int cases_before_ = 0;
  std::vector<Priced> priced_;                                ///< the cases before
  std::set<std::tuple<FindingKind, std::string, int>> told_;  ///< kind, file, line
  double largest_ = -1;                                       ///< work of the largest case so far
  double seconds_of_largest_ = 0;                             ///< of the call in the same case
  double processor_seconds_ = 0;                              ///< of the last case's call
  double price_of_kernels_ = 0;                               ///< in the same call
  std::map<std::string, bool> launched_ = {};                 ///< kernels, by check_launches()
  bool has_steps_ = false;  ///< a call at some largest size launches several kernels
};

/// "out_of_bounds at mine.cu:7": the finding itself says the rest.
std::string name_and_place(const Finding& finding);

/// Finding output_incomplete for each output that has holes.
std::vector<Finding> incomplete(const Problem& problem, const Shape& shape,
                                const Unwritten& unwritten);

}  // namespace kata
