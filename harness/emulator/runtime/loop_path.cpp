#include "emulator/runtime/loop_path.h"

#include <algorithm>

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
  }
  if (calls_ == 0 || frame < call_[calls_ - 1].frame) return begin_call(block, frame);
  Call& call = call_[calls_ - 1];
  while (depth_ > call.depth) {
    const Loop& loop = loop_[depth_ - 1];
    if (block >= loop.head && block <= loop.end) break;
    iteration_ = loop.outer;
    --depth_;
  }
  if (block <= call.block) jump_back(block, call.block);
  call.block = block;
}

void LoopPath::begin_call(std::uintptr_t block, std::uintptr_t frame) {
  if (calls_ == most_calls) return;
  call_[calls_] = {frame, block, iteration_, depth_};
  if (calls_ > 0) iteration_ = mixed(iteration_ ^ call_[calls_ - 1].block);
  ++calls_;
  forget_inner_loops();
}

void LoopPath::jump_back(std::uintptr_t head, std::uintptr_t from) {
  const bool inside = depth_ > call_[calls_ - 1].depth && loop_[depth_ - 1].head == head;
  if (!inside && depth_ == most_loops) return;
  Loop& loop = loop_[inside ? depth_ - 1 : depth_];
  // A loop may have been left only because it reaches further than was known.
  const bool goes_on = inside || (loop.head == head && loop.outer == iteration_);
  if (!goes_on) loop = {head, from, iteration_, 0};
  if (!inside) ++depth_;
  loop.end = std::max(ends_->learn(head, from), loop.end);
  ++loop.count;
  iteration_ = mixed(mixed(loop.outer ^ head) + loop.count);
  forget_inner_loops();
}

}  // namespace kata::emulator
