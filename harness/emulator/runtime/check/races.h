#pragma once
// Races. Every 4-byte word of device and shared memory has a shadow: who wrote it last, and who
// has read it. Two accesses race if they touch a common byte, one of them writes, they are not
// both atomic, and nothing orders them (order.h says what does).

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "emulator/runtime/memory/device_memory.h"
#include "emulator/runtime/memory/event.h"
#include "emulator/runtime/memory/shared_memory.h"
#include "emulator/runtime/run/order.h"
#include "emulator/runtime/run/running.h"

namespace kata::emulator {

/// Memory accesses as a kernel makes them. `atomic` reads and writes; `exchange` is an atomic that
/// only hands back what it read, `compare` writes only if what it read is what was expected.
enum class Access {
  read,
  write,
  volatile_read,
  volatile_write,
  atomic_read,
  atomic_write,
  atomic,
  compare,
  exchange,
};

constexpr bool reads(Access access) {
  return access == Access::read || access == Access::volatile_read ||
         access == Access::atomic_read || access == Access::atomic || access == Access::compare;
}
constexpr bool writes(Access access) {
  return access == Access::atomic || access == Access::compare || !reads(access);
}
constexpr bool is_plain(Access access) {
  return access == Access::read || access == Access::write;
}

/// Read and written as a whole: another OS thread may do so at the same time.
using MarkBits = unsigned long long __attribute__((vector_size(16), may_alias));
inline Mark load_mark(const Mark* mark) {
  const MarkBits bits = *reinterpret_cast<const volatile MarkBits*>(mark);
  return {bits[0], bits[1]};
}
inline void store_mark(Mark* mark, Mark value) {
  *reinterpret_cast<volatile MarkBits*>(mark) = MarkBits{value.who, value.what};
}

inline bool same_mark(const Mark& a, const Mark& b) {
  return a.who == b.who && a.what == b.what;
}

/// False if another OS thread has changed it meanwhile. Else a write of that thread would be
/// forgotten before anybody has compared the two.
inline bool replace_mark(Mark* at, const Mark& old, const Mark& mark) {
  if (same_mark(old, mark)) return true;  // who has changed it since has compared it with this
  __extension__ using Bits [[gnu::may_alias]] = unsigned __int128;
  const auto bits = [](const Mark& of) { return Bits{of.what} << 64 | of.who; };
  return __sync_bool_compare_and_swap(reinterpret_cast<Bits*>(at), bits(old), bits(mark));
}

struct alignas(32) Shadow {
  Mark write, read;
};

/// Of device memory at fixed addresses, and behind the state bytes of a block's shared memory.
inline Shadow* global_shadow(std::uintptr_t offset) {
  return reinterpret_cast<Shadow*>(arena_shadow_low) + (offset >> 2);
}
inline Shadow* shared_shadow(std::uintptr_t low, std::uintptr_t offset) {
  return reinterpret_cast<Shadow*>(low + 2 * shared_span) + (offset >> 2);
}
static_assert(sizeof(Shadow) == 4 * shadow_per_byte);

/// The access as the shadows do not show at once that it is ordered; marks it.
void check_word(Shadow& shadow, std::uintptr_t address, unsigned bytes, Access access,
                const void* code);

/// The quick questions. A mark of many threads answers none of them but `earlier`.
template <bool in_shared>
inline bool is_earlier(const Order& now, std::uint64_t who) {
  if (in_shared) return who < now.before_shared;
  return who < now.launch_first || who - now.block_first < now.before_barrier;
}
inline bool is_mine(const Order& now, std::uint64_t who) {
  return ((who ^ now.me) & ~Mark::clock_mask) == 0;
}

/// Takes this plain read into `read`, the mark of reads since the last barrier. False: that needs
/// a closer look.
inline bool join_reads(const Order& now, Mark* at, Mark read, unsigned bytes) {
  if (!now.is_alone || read.bytes() != bytes || read.kind() != Mark::plain) return false;
  if (read.many() == Mark::blocks) return true;
  const std::uint64_t apart = (read.who ^ now.me) & ~Mark::many_bit;
  if (apart >> Mark::thread_bits != 0) return false;
  const Mark::Many many = std::max(read.many(), apart >> 5 == 0 ? Mark::lanes : Mark::warps);
  if (many != read.many())
    store_mark(at,
               {read.who | Mark::many_bit, Mark::what_of(read.code(), many, Mark::plain, bytes)});
  return true;
}

/// The bytes of its first word that an access of `size` bytes touches, one bit each.
template <unsigned size>
inline unsigned bytes_touched(std::uintptr_t address) {
  return size >= 4 ? 15 : ((1u << size) - 1) << (address & 3);
}

/// Marks a plain access to the word of `shadow`, its first byte at `address`, if the shadow shows
/// at once that it is ordered.
template <unsigned size, Access access, bool in_shared>
inline __attribute__((always_inline)) bool is_ordered(Shadow* shadow, std::uintptr_t address,
                                                      const void* code) {
  static_assert(is_plain(access));
  const unsigned bytes = bytes_touched<size>(address);
  const Order& now = running.order;
  const std::uint64_t write = __atomic_load_n(&shadow->write.who, __ATOMIC_RELAXED);
  const std::uint64_t read = __atomic_load_n(&shadow->read.who, __ATOMIC_RELAXED);
  if (!is_earlier<in_shared>(now, write) && !is_mine(now, write)) return false;
  if (!is_earlier<in_shared>(now, read) && !is_mine(now, read))
    return access == Access::read &&
           join_reads(now, &shadow->read, load_mark(&shadow->read), bytes);
  if (access == Access::write && !in_shared) {
    const Mark old = load_mark(&shadow->write);
    const unsigned kept = size < 4 && old.who == now.me ? old.bytes() : 0;
    return old.who == write &&
           replace_mark(&shadow->write, old,
                        {now.me, Mark::what_of(code, Mark::one, Mark::plain, bytes | kept)});
  }
  Mark* const mine = access == Access::write ? &shadow->write : &shadow->read;
  const unsigned before = size < 4 && mine->who == now.me ? mine->bytes() : 0;
  store_mark(mine, {now.me, Mark::what_of(code, Mark::one, Mark::plain, bytes | before)});
  return true;
}

/// An access of `size` bytes to the words from `shadow` on, its first byte at `address`.
template <unsigned size, Access access, bool in_shared>
inline __attribute__((always_inline)) void check_order(Shadow* shadow, std::uintptr_t address,
                                                       const void* code) {
  constexpr unsigned words = size > 4 ? size / 4 : 1;
  const unsigned bytes = bytes_touched<size>(address);
  for (unsigned word = 0; word < words; ++word, ++shadow) {
    if constexpr (is_plain(access)) {
      if (is_ordered<size, access, in_shared>(shadow, address, code)) continue;
    }
    check_word(*shadow, address + 4 * word, bytes, access, code);
  }
}

/// Nobody has written these bytes of shared memory, as far as races are concerned.
void forget_writes(std::uintptr_t address, unsigned bytes);

/// A memory fence of the running thread, for its block or for the device.
void fence(bool to_device);

/// What two lanes write with one instruction races only if the values differ, which shows once the
/// second has written: kept until then.
class EqualWrites {
 public:
  /// `address`: of the word.
  void add(const Event& race, std::uintptr_t address);
  void settle(EventLog& events);
  bool empty() const { return writes_.empty(); }
  void clear() { writes_.clear(); }

 private:
  struct Write {
    Event race;
    std::uintptr_t address;
    std::uint32_t before;  ///< what the first wrote
  };
  std::vector<Write> writes_;
};

/// The events of a launch that are worth telling: no read of what a race has left unwritten, and
/// no plain read that an atomicCAS() on what it read has confirmed.
std::vector<Event> causes(std::vector<Event> events, const std::set<const void*>& confirmed);

}  // namespace kata::emulator
