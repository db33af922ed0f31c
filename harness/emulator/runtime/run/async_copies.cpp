#include "emulator/runtime/run/async_copies.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "emulator/runtime/check/access.h"
#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {
namespace {

constexpr const char* copy_name = "the piece of an asynchronous copy";

std::uint8_t* shared_state(std::uintptr_t address) {
  return reinterpret_cast<std::uint8_t*>(address + shared_span);
}

void check(std::uintptr_t address, unsigned bytes, Access access, const void* code) {
  const bool is_write = access == Access::write;
  switch (bytes) {
    case 16:
      return is_write ? check_access<16, Access::write>(address, code)
                      : check_access<16, Access::read>(address, code);
    case 8:
      return is_write ? check_access<8, Access::write>(address, code)
                      : check_access<8, Access::read>(address, code);
    case 4:
      return is_write ? check_access<4, Access::write>(address, code)
                      : check_access<4, Access::read>(address, code);
    default:
      return check_range(address, bytes, access, code);
  }
}

}  // namespace

void AsyncCopies::begin(unsigned threads) {
  threads_ = threads;
  issued_.clear();
  bound_.clear();
}

AsyncCopies::Issued& AsyncCopies::mine() {
  if (issued_.empty()) issued_.resize(threads_);
  return issued_[running.thread->id];
}

void AsyncCopies::issue(std::uintptr_t to, std::uintptr_t from, unsigned bytes,
                        unsigned source_bytes, bool past_l1, const void* code) {
  if (from % bytes != 0) end_at_misaligned(from, bytes, Access::read, code, copy_name);
  check(from, source_bytes, Access::read, code);
  const Copy copy{to, from, bytes, source_bytes, code, mine().group};
  if (to - running.shared_low >= shared_span) {  // to global memory: an ordinary copy
    count_store(copy);
    return deliver(copy);
  }
  if (to % bytes != 0) end_at_misaligned(to, bytes, Access::write, code, copy_name);
  std::uint8_t* state = shared_state(to);
  if (std::find(state, state + bytes, absent) != state + bytes)
    return check_shared(to - running.shared_low, bytes, Access::write, code);
  if (std::find(state, state + bytes, in_flight) != state + bytes)
    touched(to - running.shared_low, bytes, true, code);
  std::fill_n(state, bytes, in_flight);
  std::memset(reinterpret_cast<void*>(to), 0xff, bytes);
  mine().copies.push_back(copy);
  if (running.trace) record(copy, past_l1);
  running.worker->profile().async_copy();
}

void AsyncCopies::commit() {
  ++mine().group;
}

void AsyncCopies::wait(unsigned groups_left) {
  Issued& issued = mine();
  const auto later =
      std::find_if(issued.copies.begin(), issued.copies.end(),
                   [&](const Copy& copy) { return copy.group + groups_left >= issued.group; });
  arrive_first(issued, static_cast<std::size_t>(later - issued.copies.begin()));
}

void AsyncCopies::wait_for_all() {
  Issued& issued = mine();
  arrive_first(issued, issued.copies.size());
}

void AsyncCopies::bind(std::uintptr_t barrier, std::uint64_t phase) {
  Issued& issued = mine();
  const auto open = std::find_if(issued.copies.begin(), issued.copies.end(),
                                 [&](const Copy& copy) { return copy.group == issued.group; });
  for (auto copy = open; copy != issued.copies.end(); ++copy) {
    copy->group = phase;
    bound_.push_back({barrier, *copy});
  }
  issued.copies.erase(open, issued.copies.end());
}

void AsyncCopies::arrive_with(std::uintptr_t barrier, std::uint64_t phase) {
  const auto comes = [&](const Bound& bound) {
    return bound.barrier == barrier && bound.copy.group <= phase;
  };
  // Taken out first: while one is checked another thread may run.
  const auto first = std::stable_partition(bound_.begin(), bound_.end(),
                                           [&](const Bound& bound) { return !comes(bound); });
  const std::vector<Bound> coming(first, bound_.end());
  bound_.erase(first, bound_.end());
  for (const Bound& bound : coming) deliver(bound.copy);
  for (const Bound& bound : coming) count_store(bound.copy);
  // They are everybody's who waits for the phase, not this thread's alone.
  for (const Bound& bound : coming) forget_writes(bound.copy.to, bound.copy.bytes);
}

void AsyncCopies::arrive_first(Issued& issued, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) deliver(issued.copies[i]);
  for (std::size_t i = 0; i < count; ++i) count_store(issued.copies[i]);
  issued.copies.erase(issued.copies.begin(),
                      issued.copies.begin() + static_cast<std::ptrdiff_t>(count));
}

void AsyncCopies::deliver(const Copy& copy) {
  if (copy.to - running.shared_low < shared_span)
    std::fill_n(shared_state(copy.to), copy.bytes, written);
  auto* to = reinterpret_cast<std::uint8_t*>(copy.to);
  std::memcpy(to, reinterpret_cast<const void*>(copy.from), copy.source_bytes);
  std::memset(to + copy.source_bytes, 0, copy.bytes - copy.source_bytes);
}

void AsyncCopies::record(const Copy& copy, bool past_l1) {
  record_copy(past_l1 ? AccessKind::bypass_source : AccessKind::copy_source,
              static_cast<unsigned>(std::countr_zero(copy.bytes)), copy.from,
              copy.to - running.shared_low, copy.code);
}

/// For the checks it is a store by the thread that waits. Its request has been recorded where the
/// copy was issued.
void AsyncCopies::count_store(const Copy& copy) {
  const std::uintptr_t offset = copy.to - running.shared_low;
  if (offset >= shared_span || !running.trace)
    return check(copy.to, copy.bytes, Access::write, copy.code);
  WarpTrace* const trace = std::exchange(running.trace, nullptr);
  ++running.quantum;  // no other thread may run in between
  check(copy.to, copy.bytes, Access::write, copy.code);
  running.trace = trace;
  if (running.is_profiled) profile_access(AccessKind::shared_store, offset, copy.code);
}

void AsyncCopies::touched(std::size_t offset, unsigned size, bool is_write,
                          const void* code) const {
  Worker& worker = *running.worker;
  Event event = worker.event(EventKind::copy_not_arrived, before(code));
  event.address = offset;
  event.size = size;
  event.is_write = is_write;
  const std::uintptr_t address = running.shared_low + offset;
  const auto goes_there = [&](const Copy& copy) {
    return copy.to < address + size && address < copy.to + copy.bytes;
  };
  for (unsigned thread = 0; thread < issued_.size(); ++thread) {
    for (const Copy& copy : issued_[thread].copies) {
      if (!goes_there(copy)) continue;
      event.other = before(copy.code);
      event.other_thread = thread;
    }
  }
  for (const Bound& bound : bound_) {
    if (goes_there(bound.copy)) event.other = before(bound.copy.code);
  }
  worker.events().add(event);
}

}  // namespace kata::emulator

using namespace kata::emulator;

namespace {

AsyncCopies& copies() {
  return running.worker->block().copies();
}

}  // namespace

void __kata_copy_async(void* to, const void* from, unsigned bytes, unsigned source_bytes) {
  if (!running.thread) return;
  copies().issue(reinterpret_cast<std::uintptr_t>(to), reinterpret_cast<std::uintptr_t>(from),
                 bytes, source_bytes, bytes == 16, __builtin_return_address(0));
}

void __kata_copy_commit() {
  if (running.thread) copies().commit();
}

void __kata_copy_wait(unsigned groups_left) {
  if (!running.thread) return;
  groups_left == ~0u ? copies().wait_for_all() : copies().wait(groups_left);
}
