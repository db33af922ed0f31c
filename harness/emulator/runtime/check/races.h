#pragma once
// Races, by the shadows of memory (memory/shadow.h). Two accesses race if they touch a common byte,
// one of them writes, they are not both atomic, and nothing orders them (order.h says what does).

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "emulator/runtime/launch/incident.h"
#include "emulator/runtime/launch/order.h"
#include "emulator/runtime/launch/running.h"
#include "emulator/runtime/memory/shadow.h"

namespace kata::emulator {

/// The access as the shadows do not show at once that it is ordered; marks it. The word may be one
/// of several that the access takes at once, `size` bytes in all.
void check_word(Shadow& shadow, std::uintptr_t address, unsigned bytes, Access access,
                const void* code, unsigned size = 4);

/// The quick questions. A mark of many threads answers none of them but `earlier`.
template <bool in_shared>
inline bool is_earlier(const Order& now, std::uint64_t who) {
  if (in_shared) return who < now.before_shared;
  return who < now.launch_first || who - now.block_first < now.before_barrier;
}
inline bool is_mine(const Order& now, std::uint64_t who) {
  return ((who ^ now.me) & ~Mark::clock_mask) == 0;
}

/// Takes this plain read into `read`, the mark of reads since the last barrier: whose reads the
/// mark stands for then. `one`: that needs a closer look.
inline Mark::Many join_reads(const Order& now, Mark* at, Mark read, unsigned bytes) {
  if (read.bytes() != bytes || read.kind() != Mark::plain) return Mark::one;
  if (read.many() == Mark::blocks) return now.is_alone ? Mark::blocks : Mark::one;
  const std::uint64_t apart = (read.who ^ now.me) & ~Mark::many_bit;
  const std::uint64_t clocks_apart = apart & Mark::clock_mask;
  // A mark of this clock does not come before anything yet.
  const bool is_unordered = read.who == running.unknown && read.many() >= running.many_unknown;
  if (apart >> Mark::thread_bits != 0 && !is_unordered) return Mark::one;
  const Mark::Many many =
      std::max(read.many(), (apart ^ clocks_apart) >> 5 == 0 ? Mark::lanes : Mark::warps);
  if (many != read.many() || clocks_apart != 0)
    store_mark(at, {(read.who ^ clocks_apart) | Mark::many_bit,
                    Mark::what_of(read.code(), many, Mark::plain, bytes)});
  return many;
}

/// Many threads have read the whole word, and the mark of reads says so; `write` is who wrote it.
template <bool in_shared>
inline void stamp_reads(const Order& now, Shadow* shadow, ReadStamp* stamp, Mark::Many many,
                        std::uint64_t write) {
  if constexpr (in_shared) {
    if (is_earlier<true>(now, write))
      *stamp = many == Mark::lanes ? now.read_by_lanes : now.read_by_warps;
  } else if (many == Mark::blocks && write < now.launch_first) {
    // A write on another OS thread marks first, then clears the stamp.
    __atomic_store_n(stamp, now.read_by_blocks, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&shadow->write.who, __ATOMIC_SEQ_CST) != write) clear_stamp(stamp);
  }
}

/// Whether the stamps say that a plain read of `size` aligned bytes needs no mark.
template <unsigned size>
inline bool is_stamped(const ReadStamp* stamps, ReadStamp wanted) {
  bool all = true;
  for (unsigned word = 0; word < size / 4; ++word)
    all &= __atomic_load_n(stamps + word, __ATOMIC_RELAXED) == wanted;
  return all;
}
template <unsigned size>
inline bool is_stamped_in_shared(const Order& now, std::uintptr_t word) {
  const ReadStamp* const stamps = shared_stamp_of_word(word);
  return is_stamped<size>(stamps, now.read_by_warps) || is_stamped<size>(stamps, now.read_by_lanes);
}
template <unsigned size>
inline bool is_stamped_in_global(const Order& now, std::uintptr_t word) {
  return is_stamped<size>(global_stamp_of_word(word), now.read_by_blocks);
}

/// Of a block that leaves no marks: the words are written, and need no other look to be read.
template <unsigned size>
inline void stamp_written(const Order& now, std::uintptr_t address) {
  for (unsigned word = 0; word < size / 4; ++word)
    shared_stamp_of_word(address)[word] = now.read_by_warps;
}

/// The bytes of its first word that an access of `size` bytes touches, one bit each.
template <unsigned size>
inline unsigned bytes_touched(std::uintptr_t address) {
  return size >= 4 ? 15 : ((1u << size) - 1) << (address & 3);
}

/// Marks a plain access to the word of `shadow`, its first byte at `address`, if the shadow shows
/// at once that it is ordered. `stamp` is the word's; null: it is not fit to be read.
template <unsigned size, Access access, bool in_shared>
inline __attribute__((always_inline)) bool is_ordered(Shadow* shadow, ReadStamp* stamp,
                                                      std::uintptr_t address, const void* code) {
  static_assert(is_plain(access));
  const unsigned bytes = bytes_touched<size>(address);
  const Order& now = running.order;
  const std::uint64_t write = __atomic_load_n(&shadow->write.who, __ATOMIC_RELAXED);
  const std::uint64_t read = __atomic_load_n(&shadow->read.who, __ATOMIC_RELAXED);
  if (!is_earlier<in_shared>(now, write) && !is_mine(now, write) && write != running.known)
    return false;
  if (!is_earlier<in_shared>(now, read) && !is_mine(now, read)) {
    if (access == Access::write) return false;
    const Mark::Many many = join_reads(now, &shadow->read, load_mark(&shadow->read), bytes);
    if (size >= 4 && stamp && many != Mark::one && now.is_alone)
      stamp_reads<in_shared>(now, shadow, stamp, many, write);
    return many != Mark::one;
  }
  if (access == Access::write && !in_shared) {
    const Mark old = load_mark(&shadow->write);
    const unsigned kept = size < 4 && old.who == now.me ? old.bytes() : 0;
    const Mark mine{now.me, Mark::what_of(code, Mark::one, Mark::plain, bytes | kept)};
    if (old.who != write || !replace_mark(&shadow->write, old, mine)) return false;
    clear_stamp(stamp);
    return true;
  }
  if (access == Access::write) clear_stamp(stamp);
  Mark* const mine = access == Access::write ? &shadow->write : &shadow->read;
  const unsigned before = size < 4 && mine->who == now.me ? mine->bytes() : 0;
  store_mark(mine, {now.me, Mark::what_of(code, Mark::one, Mark::plain, bytes | before)});
  return true;
}

/// An access of `size` bytes to the words from `shadow` on, its first byte at `address`; is_ready:
/// all of them may be read.
template <unsigned size, Access access, bool in_shared>
inline __attribute__((always_inline)) void check_order(Shadow* shadow, std::uintptr_t address,
                                                       bool is_ready, const void* code) {
  ReadStamp* const stamps = in_shared ? shared_stamp(address) : global_stamp(address);
  constexpr unsigned words = size > 4 ? size / 4 : 1;
  const unsigned bytes = bytes_touched<size>(address);
  for (unsigned word = 0; word < words; ++word, ++shadow) {
    if constexpr (is_plain(access)) {
      ReadStamp* const stamp = is_ready || access == Access::write ? stamps + word : nullptr;
      if (is_ordered<size, access, in_shared>(shadow, stamp, address, code)) continue;
    }
    check_word(*shadow, address + 4 * word, bytes, access, code, size);
  }
}

/// The running thread issues an operation of the async proxy that reads these bytes of its block's
/// shared memory: checks that every write is ordered before it, and fenced. Marks nothing.
void check_async_read(std::uintptr_t address, unsigned bytes, Access how, const void* code);
/// Marks them as read by the running thread, which has waited for that operation.
void mark_async_read(std::uintptr_t address, unsigned bytes, const void* code);

/// The running thread uses the mbarrier object that was written here: checks that it may.
void check_barrier_use(std::uintptr_t address, const void* code);

/// A load through the read-only cache (__ldg, ld.global.nc), which need not see what the same
/// launch has written.
void check_read_only(std::uintptr_t address, unsigned bytes, const void* code);

/// Clears the marks of writes to these bytes of shared memory.
void forget_writes(std::uintptr_t address, unsigned bytes);

/// The atomic operation that the running thread has been checked for is an acquire.
void acquire(Scope scope, const void* code);
/// A memory fence of the running thread.
void fence(Scope scope, const void* code);

/// The incidents of a launch that are worth telling: no read of what a race has left unwritten, no
/// plain read that an atomicCAS() on what it read has confirmed, no deadlock at a wait that has
/// missed its phase or for registers that part of a warpgroup should have given, nothing else about
/// a wgmma that reads a tile by another swizzle than it has, and no write to accumulators that were
/// read too early: the memory of a variable that is no more needed is used for others.
std::vector<Incident> causes(std::vector<Incident> incidents,
                             const std::set<const void*>& confirmed);

}  // namespace kata::emulator
