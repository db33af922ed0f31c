#include "emulator/runtime/count/loop_path.h"

namespace kata::emulator {

void LoopPath::enter_another(std::uintptr_t block, std::uintptr_t frame) {
  entered_.resize(at_);
  return_to(frame);
  const unsigned number = map_->number_of(block);
  if (last_.size() <= number) [[unlikely]]
    last_.resize(number + 64);
  unsigned& last = last_[number];
  bool entered = false;
  if (calls_ == 0 || frame < call_[calls_ - 1].frame) {
    begin_call(frame);
  } else if (last >= call_[calls_ - 1].first && last < entered_.size() && entered_[last] == block) {
    entered = begin_iteration(block, last);
  } else {
    leave_loops(block);
  }
  frame_ = call_[calls_ - 1].frame;
  find_head();
  if (entered) return;
  if (entered_.size() < most_blocks) {
    last = static_cast<unsigned>(entered_.size());
    entered_.push_back(block);
  }
  at_ = entered_.size();
}

void LoopPath::return_to(std::uintptr_t frame) {
  while (calls_ > 1 && call_[calls_ - 1].frame < frame) {
    --calls_;
    iteration_ = call_[calls_].iteration;
    depth_ = call_[calls_].depth;
    entered_.resize(call_[calls_].first);
  }
}

void LoopPath::begin_call(std::uintptr_t frame) {
  if (calls_ == most_calls) return;
  call_[calls_] = {frame, iteration_, depth_, entered_.size()};
  if (calls_ > 0) iteration_ = mixed(iteration_ ^ entered_.back());
  ++calls_;
  loop_[depth_].head = 0;
}

/// False if the loop is nested too deeply to track: the block has to be entered again.
bool LoopPath::begin_iteration(std::uintptr_t head, std::size_t first) {
  const unsigned outside = call_[calls_ - 1].depth;
  while (depth_ > outside && loop_[depth_ - 1].first > first) iteration_ = loop_[--depth_].outer;
  const bool inside = depth_ > outside && loop_[depth_ - 1].first == first;
  if (!inside && depth_ == most_loops) {
    entered_.resize(first);
    return false;
  }
  if (!inside) begin_loop(head, first);
  next_iteration();
  return true;
}

/// The thread has come to the head for the second time.
void LoopPath::begin_loop(std::uintptr_t head, std::size_t first) {
  CodeRange range{head, head};
  for (std::size_t i = first; i < entered_.size(); ++i) range.add({entered_[i], entered_[i]});
  Loop& loop = loop_[depth_++];
  // A loop may have been left only because it reaches further than was known.
  if (loop.head != head || loop.outer != iteration_)
    loop = {head, range, iteration_, mixed(iteration_ ^ head), 0, first};
  loop.range = map_->learn(head, range);
}

void LoopPath::leave_loops(std::uintptr_t block) {
  unsigned outside = call_[calls_ - 1].depth;
  if (const Unrolled* around = unrolled()) outside = std::max(outside, around->depth + 1);
  while (depth_ > outside && !loop_[depth_ - 1].range.contains(block))
    iteration_ = loop_[--depth_].outer;
}

/// The innermost of the present call, of which the end is not seen before it has come.
LoopPath::Unrolled* LoopPath::unrolled() {
  while (unrolled_ > 0 && unrolled_loop_[unrolled_ - 1].calls > calls_) --unrolled_;
  if (unrolled_ == 0 || unrolled_loop_[unrolled_ - 1].calls < calls_) return nullptr;
  return &unrolled_loop_[unrolled_ - 1];
}

/// That loop, if it has `left` iterations from here on, or a new one; null if there are too many.
LoopPath::Unrolled* LoopPath::unrolled(unsigned loop, std::uint64_t iterations,
                                       std::uint64_t left) {
  Unrolled* me = unrolled();
  if (!me || me->loop != loop || me->left != left + 1) {
    if (unrolled_ == most_loops) return nullptr;
    me = &unrolled_loop_[unrolled_++];
    *me = {loop, calls_, depth_, copy_, iteration_, iterations, left};
  }
  me->left = left;
  return me;
}

void LoopPath::enter_unrolled(unsigned loop, const Unrolling& how, std::uint64_t left) {
  const Unrolled* me = unrolled(loop, left, left);
  if (!me) return;
  const std::uint64_t done = me->iterations - left, rest = me->iterations % how.copies;
  const std::uint64_t in_loop = how.rest_last ? done : done - rest;
  const bool is_rest = how.rest_last ? left <= rest : done < rest;
  std::uint64_t place = how.copies + (how.apart ? in_loop / how.copies : in_loop);
  if (is_rest) place = how.rest_last ? rest - left : done;
  if (how.apart) copy_ = 1 + (is_rest ? how.copies : static_cast<unsigned>(in_loop % how.copies));
  iteration_ = mixed(mixed(me->outer ^ loop) + place);
}

void LoopPath::enter_copy(unsigned loop, unsigned done, unsigned iterations) {
  const Unrolled* me = unrolled(loop, iterations, iterations - done);
  if (!me) return;
  copy_ = done + 1;
  // Copies stand in one line with the code around the loop; those of a loop around it do so by
  // turns.
  iteration_ = me->outer_copy ? mixed(me->outer + me->outer_copy) : me->outer;
}

void LoopPath::leave_unrolled(unsigned loop) {
  const Unrolled* me = unrolled();
  if (!me || me->loop != loop) return;
  iteration_ = me->outer;
  copy_ = me->outer_copy;
  depth_ = me->depth;
  --unrolled_;
  loop_[depth_].head = 0;
  find_head();
}

}  // namespace kata::emulator
