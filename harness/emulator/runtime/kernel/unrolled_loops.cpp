// What the conditions of loops and of predicated statements say of them
// (include/kata_emulator/loops.h, predicates.h).

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "emulator/abi.h"
#include "emulator/include/kata_emulator/loop_forms.h"
#include "emulator/runtime/check/access.h"
#include "emulator/runtime/count/loop_path.h"
#include "emulator/runtime/launch/running.h"
#include "emulator/runtime/run/scheduler.h"

using kata::emulator::AccessKind;
using kata::emulator::running;

namespace {

/// nvcc unrolls a loop as a whole up to so many instructions.
constexpr unsigned most_instructions = 400, most_copies = 255;

bool holds(unsigned test, long long counter, long long bound) {
  switch (test) {
    case __kata::less:
      return counter < bound;
    case __kata::less_equal:
      return counter <= bound;
    case __kata::greater:
      return counter > bound;
    case __kata::greater_equal:
      return counter >= bound;
    default:
      return counter != bound;
  }
}

long long changed(unsigned change, long long counter, long long step) {
  switch (change) {
    case __kata::added:
      return counter + step;
    case __kata::subtracted:
      return counter - step;
    case __kata::multiplied:
      return counter * step;
    case __kata::divided:
      return step == 0 ? counter : counter / step;
    case __kata::shifted_left:
      return counter << (step & 31);
    default:
      return counter >> (step & 31);
  }
}

/// A loop's counter in each iteration; none if nvcc does not unroll it as a whole.
struct Counters {
  unsigned loop = 0, form = 0;
  long long initial = 0, bound = 0, step = 0;
  std::vector<long long> values = {};

  bool is_of(const Counters& other) const {
    return loop == other.loop && form == other.form && initial == other.initial &&
           bound == other.bound && step == other.step;
  }
  void count() {
    const unsigned test = form & 7, change = form >> 3 & 7, size = form >> 6;
    for (long long i = initial; holds(test, i, bound); i = changed(change, i, step)) {
      values.push_back(i);
      if (values.size() < most_copies && values.size() * size <= most_instructions) continue;
      values.clear();
      return;
    }
  }
};

/// Every iteration of every lane asks, and the loop's numbers are constant.
const std::vector<long long>& counters_of(const Counters& loop) {
  static thread_local std::array<Counters, 16> recent;
  Counters& known = recent[loop.loop % recent.size()];
  if (!known.is_of(loop)) {
    known = loop;
    known.count();
  }
  return known.values;
}

}  // namespace

extern "C" {

int __kata_loop_copy(unsigned loop, unsigned form, long long initial, long long bound,
                     long long step, long long counter) {
  if (!running.path) [[likely]]
    return 0;
  const Counters all{loop, form, initial, bound, step};
  const auto& counters = counters_of(all);
  const auto now = std::find(counters.begin(), counters.end(), counter);
  if (now == counters.end()) return 0;
  running.path->enter_copy(loop, static_cast<unsigned>(now - counters.begin()),
                           static_cast<unsigned>(counters.size()));
  return 0;
}

int __kata_iteration(unsigned loop, unsigned unrolling, long long distance, long long step) {
  if (!running.path || step <= 0 || distance <= 0) [[likely]]
    return 0;
  const auto left = static_cast<std::uint64_t>((distance - 1) / step + 1);
  running.path->enter_unrolled(
      loop,
      {unrolling & __kata::all_copies, (unrolling & __kata::rest_last) != 0,
       (unrolling & __kata::apart) != 0},
      left);
  return 0;
}

int __kata_iteration_alone(long long) {
  if (running.is_profiled) [[unlikely]]
    running.scheduler->block().chains[running.thread->id].begin_iteration();
  return 0;
}

int __kata_loop_end(unsigned loop, long long) {
  if (running.path) [[unlikely]]
    running.path->leave_unrolled(loop);
  return 0;
}

int __kata_predicate(unsigned sides, int condition, int) {
  if (!running.trace) [[likely]]
    return 0;
  const void* code = __builtin_return_address(0);
  const bool value = condition != 0;
  const auto predicate = kata::emulator::record_step(AccessKind::predicate, 0, value, false, code);
  const bool matters = sides & (value ? 1 : 2);
  running.trace->set_predicate(running.lane,
                               matters ? kata::emulator::side_of(predicate, value) : 0);
  return 0;
}

int __kata_predicate_end(int) {
  if (running.trace) [[unlikely]]
    running.trace->set_predicate(running.lane, 0);
  return 0;
}

}  // extern "C"
