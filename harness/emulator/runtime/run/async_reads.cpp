#include "emulator/runtime/run/async_reads.h"

#include <algorithm>
#include <utility>

#include "emulator/runtime/memory/shared_memory.h"

namespace kata::emulator {
namespace {

constexpr unsigned cell = 16;  ///< bytes

std::uint8_t* state_at(std::uintptr_t address) {
  return reinterpret_cast<std::uint8_t*>(address + shared_span);
}

/// Calls f with the address of each cell.
template <class F>
void each_cell(const std::vector<SharedRange>& ranges, const F& f) {
  for (const SharedRange& range : ranges) {
    for (std::uintptr_t at = range.low; at < range.low + range.bytes; at += cell) f(at);
  }
}

}  // namespace

void AsyncReads::begin() {
  for (; !reads_.empty(); reads_.pop_back())
    each_cell(reads_.back().ranges,
              [&](std::uintptr_t at) { readers_[at % shared_span / cell] = 0; });
}

std::uint64_t AsyncReads::add(Accessor by, const void* code, std::vector<SharedRange> ranges) {
  if (readers_.empty()) readers_.resize(shared_span / cell);
  each_cell(ranges, [&](std::uintptr_t at) {
    if (readers_[at % shared_span / cell]++ == 0) std::fill_n(state_at(at), cell, being_read);
  });
  reads_.push_back({next_number_, by, code, std::move(ranges)});
  return next_number_++;
}

AsyncRead AsyncReads::take(std::uint64_t number) {
  const auto found = std::find_if(reads_.begin(), reads_.end(),
                                  [&](const AsyncRead& read) { return read.number == number; });
  AsyncRead read = std::move(*found);
  reads_.erase(found);
  each_cell(read.ranges, [&](std::uintptr_t at) {
    if (--readers_[at % shared_span / cell] > 0) return;
    std::replace(state_at(at), state_at(at) + cell, std::uint8_t{being_read},
                 std::uint8_t{written});
  });
  return read;
}

const AsyncRead* AsyncReads::under_way(std::uintptr_t address, unsigned size) const {
  const auto reads_it = [&](const AsyncRead& read) {
    return std::any_of(read.ranges.begin(), read.ranges.end(), [&](const SharedRange& range) {
      return range.low < address + size && address < range.low + range.bytes;
    });
  };
  const auto found = std::find_if(reads_.begin(), reads_.end(), reads_it);
  return found == reads_.end() ? nullptr : &*found;
}

}  // namespace kata::emulator
