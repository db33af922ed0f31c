#include "emulator/runtime/requests.h"

#include <algorithm>
#include <utility>

namespace kata::emulator {
namespace {

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;

}  // namespace

bool InstructionTrace::add(unsigned lane, std::uint64_t iteration, std::uint32_t where) {
  visits_[lane] = iteration == last_[lane] ? visits_[lane] + 1 : 0;
  last_[lane] = iteration;
  const std::uint64_t key = iteration + visits_[lane] * golden;
  unsigned i = next_[lane];
  if (i < size_ ? key_[i] != key || (lanes_[i] >> lane & 1) : !by_key_.empty()) [[unlikely]] {
    if (!find_out_of_step(lane, key, i)) append(key);
  } else if (i == size_) {
    append(key);
  }
  lanes_[i] |= 1u << lane;
  where_[lane * stride_ + i] = where;
  next_[lane] = i + 1;
  return i + 1 < most;
}

/// The request with that key, which is not the one that was likely; false: there is none yet, and
/// it becomes the next new one.
bool InstructionTrace::find_out_of_step(unsigned lane, std::uint64_t key, unsigned& i) {
  for (unsigned k = static_cast<unsigned>(by_key_.size()); k < size_; ++k) by_key_[key_[k]] = k;
  const auto [known, is_new] = by_key_.try_emplace(key, size_);
  if (!is_new && (lanes_[known->second] >> lane & 1)) known->second = size_;
  i = known->second;
  return i < size_;
}

void InstructionTrace::append(std::uint64_t key) {
  if (size_ == stride_) grow();
  key_[size_] = key;
  lanes_[size_] = 0;
  ++size_;
}

void InstructionTrace::grow() {
  const unsigned stride = stride_ == 0 ? 80 : stride_ * 4 + 16;  // no power of two: cache sets
  std::vector<std::uint32_t> where(32 * std::size_t{stride});
  for (unsigned lane = 0; lane < 32; ++lane)
    std::copy_n(where_.data() + lane * stride_, size_, where.data() + lane * stride);
  where_ = std::move(where);
  key_.resize(stride);
  lanes_.resize(stride);
  stride_ = stride;
}

Request InstructionTrace::request(unsigned i) const {
  Request result;
  result.lanes = lanes_[i];
  for (unsigned lane = 0; lane < 32; ++lane) result.where[lane] = where_[lane * stride_ + i];
  return result;
}

void InstructionTrace::clear() {
  size_ = 0;
  next_ = {};
  visits_ = {};
  last_.fill(~std::uint64_t{0});
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

unsigned Requests::number_of(const void* code, AccessKind kind, unsigned log2_width) {
  const std::uint64_t key =
      (reinterpret_cast<std::uint64_t>(code) << 5 | static_cast<unsigned>(kind) << 3) + log2_width;
  Known& known = recent_[key * golden >> 56];
  if (known.key == key) [[likely]]
    return known.number;
  const auto [found, is_new] =
      numbers_.try_emplace(key, static_cast<unsigned>(instructions_.size()));
  if (is_new) instructions_.push_back({key, kind, log2_width});
  known = {key, found->second};
  return found->second;
}

void Requests::count_all(WarpTrace*& trace) {
  for (unsigned number : trace->touched) {
    const Instruction& instruction = instructions_[number];
    const InstructionTrace& made = trace->instructions[number];
    const unsigned width = 1u << instruction.log2_width;
    RequestCount& sum = counts_[static_cast<unsigned>(instruction.kind)];
    for (unsigned i = 0; i < made.size(); ++i) {
      const Transfers transfers =
          instruction.kind == AccessKind::global_load ||
                  instruction.kind == AccessKind::global_store
              ? sectors(made.request(i), width)
              : wavefronts(made.request(i), width, instruction.kind == AccessKind::shared_load);
      ++sum.requests;
      sum.transfers += transfers.needed;
      sum.fewest += transfers.fewest;
    }
  }
  put_back(trace);
}

RequestCounts Requests::take_counts() {
  return std::exchange(counts_, {});
}

}  // namespace kata::emulator
