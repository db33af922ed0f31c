#include "emulator/runtime/check/async_copies.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "emulator/runtime/check/access.h"
#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {
namespace {

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

CopyQueue& queue() {
  return running.scheduler->block().copies();
}

void move_bytes(const AsyncCopy& copy) {
  if (copy.to - running.shared_low < shared_span)
    std::fill_n(shared_state(copy.to), copy.bytes, written);
  auto* to = reinterpret_cast<std::uint8_t*>(copy.to);
  std::memcpy(to, reinterpret_cast<const void*>(copy.from), copy.source_bytes);
  std::memset(to + copy.source_bytes, 0, copy.bytes - copy.source_bytes);
}

/// For the checks it is a store by the thread that waits. Its request has been recorded where the
/// copy was issued.
void count_store(const AsyncCopy& copy) {
  const std::uintptr_t offset = copy.to - running.shared_low;
  if (offset >= shared_span || !running.trace)
    return check(copy.to, copy.bytes, Access::write, copy.code);
  WarpTrace* const trace = std::exchange(running.trace, nullptr);
  ++running.quantum;  // no other thread may run in between
  check(copy.to, copy.bytes, Access::write, copy.code);
  running.trace = trace;
}

Chain& chain() {
  return running.scheduler->block().chains[running.thread->id];
}

/// The copies have been taken out of the queue: while one is checked another thread may run.
void deliver(const std::vector<AsyncCopy>& copies) {
  for (const AsyncCopy& copy : copies) move_bytes(copy);
  for (const AsyncCopy& copy : copies) count_store(copy);
}

}  // namespace

void issue_copy(std::uintptr_t to, std::uintptr_t from, unsigned bytes, unsigned source_bytes,
                AccessKind source, const void* code) {
  if (from % bytes != 0) end_at_misaligned(from, bytes, Access::read, code, AccessedBy::async_copy);
  check(from, source_bytes, Access::read, code);
  const AsyncCopy copy{to, from, bytes, source_bytes, code, queue().group()};
  const std::uintptr_t offset = to - running.shared_low;
  if (offset >= shared_span) {  // to global memory: an ordinary copy
    count_store(copy);
    return move_bytes(copy);
  }
  if (to % bytes != 0) end_at_misaligned(to, bytes, Access::write, code, AccessedBy::async_copy);
  std::uint8_t* state = shared_state(to);
  const auto has = [&](SharedState one) {
    return std::find(state, state + bytes, one) != state + bytes;
  };
  if (has(absent)) return check_shared(offset, bytes, Access::write, code);
  if (has(in_flight)) check_shared(offset, bytes, Access::write, code);
  std::fill_n(state, bytes, in_flight);
  for (unsigned i = 0; i < bytes; i += 4) clear_stamp(shared_stamp(to + i));
  std::memset(reinterpret_cast<void*>(to), 0xff, bytes);
  queue().add(copy);
  if (running.trace)
    record_copy(source, static_cast<unsigned>(std::countr_zero(bytes)), from, offset, code);
  if (running.is_profiled) running.scheduler->profiler().async_copy(chain());
}

void wait_for_copies(unsigned groups_left) {
  if (running.is_profiled) chain().wait_for_copies(groups_left);
  deliver(queue().take(groups_left));
}

void wait_for_all_copies() {
  if (running.is_profiled) chain().wait_for_copies(0);
  deliver(queue().take_all());
}

void deliver_bound_copies(std::uintptr_t barrier, std::uint64_t phase) {
  const std::vector<AsyncCopy> copies = queue().take_bound(barrier, phase);
  deliver(copies);
  // They are everybody's who waits for the phase, not this thread's alone.
  for (const AsyncCopy& copy : copies) forget_writes(copy.to, copy.bytes);
}

}  // namespace kata::emulator
