#include "emulator/runtime/loop_path.h"

namespace kata::emulator {
namespace {

std::uint64_t mixed(std::uint64_t value) {
  value *= 0x9e3779b97f4a7c15u;
  return value ^ value >> 32;
}

}  // namespace

void LoopPath::enter(std::uintptr_t block, std::uintptr_t frame) {
  while (calls_ > 1 && call_[calls_ - 1].frame < frame) {  // it has returned
    --calls_;
    iteration_ = call_[calls_].iteration;
    depth_ = call_[calls_].depth;
    entered_.resize(call_[calls_].first);
  }
  const unsigned number = map_->number_of(block);
  if (last_.size() <= number) [[unlikely]]
    last_.resize(number + 64);
  unsigned& last = last_[number];
  if (calls_ == 0 || frame < call_[calls_ - 1].frame) {
    begin_call(frame);
  } else if (last >= call_[calls_ - 1].first && last < entered_.size() && entered_[last] == block) {
    begin_iteration(block, last);
  } else {
    leave_loops(block);
  }
  if (entered_.size() == most_blocks) return;
  last = static_cast<unsigned>(entered_.size());
  entered_.push_back(block);
}

void LoopPath::begin_call(std::uintptr_t frame) {
  if (calls_ == most_calls) return;
  call_[calls_] = {frame, iteration_, depth_, entered_.size()};
  if (calls_ > 0) iteration_ = mixed(iteration_ ^ entered_.back());
  ++calls_;
  forget_inner_loops();
}

void LoopPath::begin_iteration(std::uintptr_t head, std::size_t first) {
  const unsigned outside = call_[calls_ - 1].depth;
  while (depth_ > outside && loop_[depth_ - 1].first > first) iteration_ = loop_[--depth_].outer;
  const bool inside = depth_ > outside && loop_[depth_ - 1].first == first;
  Reach reach{head, head};
  for (std::size_t i = first; i < entered_.size(); ++i) reach.add({entered_[i], entered_[i]});
  entered_.resize(first);
  if (!inside && depth_ == most_loops) return;
  Loop& loop = loop_[inside ? depth_ - 1 : depth_++];
  // A loop may have been left only because it reaches further than was known.
  if (!inside && (loop.head != head || loop.outer != iteration_))
    loop = {head, reach, iteration_, 0, first};
  if (!inside || !loop.reach.contains(reach)) loop.reach = map_->learn(head, reach);
  ++loop.count;
  iteration_ = mixed(mixed(loop.outer ^ head) + loop.count);
  forget_inner_loops();
}

void LoopPath::leave_loops(std::uintptr_t block) {
  while (depth_ > call_[calls_ - 1].depth && !loop_[depth_ - 1].reach.contains(block))
    iteration_ = loop_[--depth_].outer;
}

}  // namespace kata::emulator
