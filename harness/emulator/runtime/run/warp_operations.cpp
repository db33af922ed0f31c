// What the lanes of a warp operation get when all have arrived.

#include <algorithm>

#include "emulator/runtime/count/lanes.h"
#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {
namespace {

/// What a lane reads from one that takes no part: NaN in every type, or the largest or lowest
/// number of float, since fmaxf() and fminf() pass over NaN.
std::uint64_t undefined_value() {
  switch (running.scheduler->launch().options.schedule) {
    case Schedule::forward:
      return 0xffffffffffffffff;
    case Schedule::reverse:
      return 0x7f7fffff7f7fffff;
    default:
      return 0xff7fffffff7fffff;
  }
}

inline unsigned source_of(const Thread& reader) {
  const unsigned lane = reader.lane, width = static_cast<unsigned>(reader.width);
  const unsigned segment = width == 32 ? 0 : lane / width * width;
  const auto by = static_cast<unsigned>(reader.argument);
  unsigned source = lane;
  switch (reader.op) {
    case WarpOp::shfl_idx:
      source = segment + (by & (width - 1));
      break;
    case WarpOp::shfl_up:
      if (by <= lane - segment) source = lane - by;
      break;
    case WarpOp::shfl_down:
      if (by < segment + width - lane) source = lane + by;
      break;
    default:
      if (((lane ^ by) & 31) < segment + width) source = lane ^ by;
  }
  return source & 31;
}

void shuffle(Thread* lanes, unsigned participants) {
  for_each_lane(participants, [&](unsigned k) {
    const unsigned source = source_of(lanes[k]);
    lanes[k].result = participants >> source & 1 ? lanes[source].value : undefined_value();
  });
}

void match_any(Thread* lanes, unsigned participants) {
  for_each_lane(participants, [&](unsigned k) {
    lanes[k].result = 0;
    for_each_lane(participants, [&](unsigned other) {
      if (lanes[other].value == lanes[k].value) lanes[k].result |= std::uint64_t{1} << other;
    });
  });
}

unsigned ballot(const Thread* lanes, unsigned participants) {
  unsigned result = 0;
  for_each_lane(participants, [&](unsigned k) { result |= (lanes[k].value != 0u) << k; });
  return result;
}

bool all_equal(const Thread* lanes, unsigned participants) {
  const std::uint64_t first = lanes[std::countr_zero(participants)].value;
  bool equal = true;
  for_each_lane(participants, [&](unsigned k) { equal &= lanes[k].value == first; });
  return equal;
}

/// Some lane of them, the same each time in a launch. Code that takes the first one for granted
/// comes out wrong in two of three schedules.
unsigned leader_of(unsigned participants) {
  const Options& options = running.scheduler->launch().options;
  switch (options.schedule) {
    case Schedule::forward:
      return static_cast<unsigned>(std::countr_zero(participants));
    case Schedule::reverse:
      return 31 - static_cast<unsigned>(std::countl_zero(participants));
    default:
      Random random{(options.schedule_seed + participants) * 0x9e3779b97f4a7c15u | 1};
      return nth_lane(participants, random.below(count_lanes(participants)));
  }
}

/// The __reduce_*_sync functions: 32-bit values.
unsigned reduce(WarpOp op, const Thread* lanes, unsigned participants) {
  const auto value = [&](unsigned k) { return static_cast<unsigned>(lanes[k].value); };
  const unsigned first = static_cast<unsigned>(std::countr_zero(participants));
  unsigned result = value(first);
  for_each_lane(participants & (participants - 1), [&](unsigned k) {
    const unsigned v = value(k);
    const int a = static_cast<int>(result), b = static_cast<int>(v);
    switch (op) {
      case WarpOp::add:
        result += v;
        break;
      case WarpOp::min_signed:
        result = static_cast<unsigned>(std::min(a, b));
        break;
      case WarpOp::max_signed:
        result = static_cast<unsigned>(std::max(a, b));
        break;
      case WarpOp::min_unsigned:
        result = std::min(result, v);
        break;
      case WarpOp::max_unsigned:
        result = std::max(result, v);
        break;
      case WarpOp::and_:
        result &= v;
        break;
      case WarpOp::or_:
        result |= v;
        break;
      default:
        result ^= v;
    }
  });
  return result;
}

void run_collective(Thread* lanes, unsigned participants) {
  Collective* parts[32] = {};
  for_each_lane(participants,
                [&](unsigned k) { parts[k] = reinterpret_cast<Collective*>(lanes[k].value); });
  parts[std::countr_zero(participants)]->run(parts);
}

}  // namespace

unsigned shuffle_source(const Thread& reader) {
  return source_of(reader);
}

void answer_warp_operation(Thread* lanes, unsigned participants) {
  const WarpOp op = lanes[std::countr_zero(participants)].op;
  std::uint64_t common = 0;
  switch (op) {
    case WarpOp::shfl_idx:
    case WarpOp::shfl_up:
    case WarpOp::shfl_down:
    case WarpOp::shfl_xor:
      return shuffle(lanes, participants);
    case WarpOp::match_any:
      return match_any(lanes, participants);
    case WarpOp::sync:
      return;
    case WarpOp::collective:
      return run_collective(lanes, participants);
    case WarpOp::ballot:
      common = ballot(lanes, participants);
      break;
    case WarpOp::any:
      common = ballot(lanes, participants) != 0;
      break;
    case WarpOp::all:
      common = ballot(lanes, participants) == participants;
      break;
    case WarpOp::elect:
      common = leader_of(participants);
      break;
    case WarpOp::match_all:
      common = all_equal(lanes, participants) ? participants : 0;
      break;
    default:
      common = reduce(op, lanes, participants);
  }
  for_each_lane(participants, [&](unsigned k) { lanes[k].result = common; });
}

}  // namespace kata::emulator
