#include "emulator/runtime/requests.h"

#include <algorithm>
#include <utility>

namespace kata::emulator {
namespace {

Transfers transfers(const Request& request, const Instruction& instruction) {
  const unsigned width = 1u << instruction.log2_width;
  switch (instruction.kind) {
    case AccessKind::global_load:
    case AccessKind::global_store:
      return sectors(request, width);
    case AccessKind::shared_load:
    case AccessKind::shared_store:
      return wavefronts(request, width, instruction.kind == AccessKind::shared_load);
    default:
      return turns(request);
  }
}

}  // namespace

/// The request with that key, which is not the one that was likely, or a new one.
unsigned InstructionTrace::find_out_of_step(unsigned lane, std::uint64_t key, const Moment& when) {
  for (unsigned k = static_cast<unsigned>(by_key_.size()); k < size_; ++k)
    by_key_[made_[k].key] = k;
  const auto [known, is_new] = by_key_.try_emplace(key, size_);
  if (!is_new && (made_[known->second].lanes >> lane & 1)) known->second = size_;
  const unsigned i = known->second;
  if (i == size_) append(key, when);
  return i;
}

void InstructionTrace::append(std::uint64_t key, const Moment& when) {
  if (size_ == stride_) grow();
  made_[size_++] = {key, 0, when};
}

void InstructionTrace::grow() {
  const unsigned stride = stride_ == 0 ? 80 : stride_ * 4 + 16;  // no power of two: cache sets
  std::vector<std::uint32_t> where(32 * std::size_t{stride});
  for (unsigned lane = 0; lane < 32; ++lane)
    std::copy_n(where_.data() + lane * stride_, size_, where.data() + lane * stride);
  where_ = std::move(where);
  made_.resize(stride);
  stride_ = stride;
}

Request InstructionTrace::request(unsigned i) const {
  Request result;
  result.lanes = made_[i].lanes;
  result.base = base_;
  for (unsigned lane = 0; lane < 32; ++lane) result.where[lane] = where_[lane * stride_ + i];
  return result;
}

void InstructionTrace::clear() {
  size_ = 0;
  lane_.fill({});
  by_key_.clear();
}

WarpTrace* Requests::take() {
  if (spare_.empty()) spare_.push_back(all_.emplace_back(std::make_unique<WarpTrace>()).get());
  WarpTrace* trace = spare_.back();
  spare_.pop_back();
  return trace;
}

void Requests::put_back(WarpTrace*& trace) {
  for (unsigned number : trace->touched) trace->instructions[number].clear();
  trace->touched.clear();
  spare_.push_back(std::exchange(trace, nullptr));
}

unsigned Requests::learn(Known& known, std::uint64_t key, const Instruction& instruction) {
  const auto [found, is_new] =
      numbers_.try_emplace(key, static_cast<unsigned>(instructions_.size()));
  if (is_new) {
    instructions_.push_back(instruction);
    counts_.emplace_back();
  }
  known = {key, found->second};
  return found->second;
}

void Requests::count_all(WarpTrace*& trace, std::uint64_t order) {
  for (unsigned number : trace->touched) {
    const Instruction& instruction = instructions_[number];
    const InstructionTrace& made = trace->instructions[number];
    InstructionCount& sum = counts_[number];
    for (unsigned i = 0; i < made.size(); ++i) {
      const Request request = made.request(i);
      sum.add(request, transfers(request, instruction), order);
      if (Merges::may_merge(instruction)) candidates_.push_back(made.candidate(i, instruction));
    }
  }
  merges_.add(candidates_, order);
  candidates_.clear();
  put_back(trace);
}

void Requests::take_counts(InstructionCounts& sum, MergeCounts& merges) {
  merges_.take(merges);
  for (unsigned number = 0; number < counts_.size(); ++number) {
    if (counts_[number].requests == 0) continue;
    sum[instructions_[number]].merge(counts_[number]);
    counts_[number] = {};
  }
}

}  // namespace kata::emulator
