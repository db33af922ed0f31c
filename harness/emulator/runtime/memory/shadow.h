#pragma once
// Every 4-byte word of device and shared memory has a shadow: a mark of who wrote it last, and one
// of who has read it. check/races.h compares them with the accesses that follow.

#include <cstdint>

#include "emulator/runtime/memory/device_memory.h"
#include "emulator/runtime/memory/shared_memory.h"

namespace kata::emulator {

/// Memory accesses as a kernel makes them. `async_` ones are bulk copies', `matrix_read` a wgmma's:
/// the async proxy's. `atomic` reads and
/// writes; `exchange` is an atomic that only hands back what it read, `compare` writes only if what
/// it read is what was expected.
enum class Access {
  read,
  write,
  async_read,
  async_write,
  matrix_read,
  volatile_read,
  volatile_write,
  atomic_read,
  atomic_write,
  atomic,
  compare,
  exchange,
};

constexpr bool reads(Access access) {
  return access == Access::read || access == Access::async_read || access == Access::matrix_read ||
         access == Access::volatile_read || access == Access::atomic_read ||
         access == Access::atomic || access == Access::compare;
}
constexpr bool writes(Access access) {
  return access == Access::atomic || access == Access::compare || !reads(access);
}
constexpr bool is_plain(Access access) {
  return access == Access::read || access == Access::write;
}
constexpr bool made_atomically(Access access) {
  return access >= Access::atomic_read;
}
constexpr bool in_async_proxy(Access access) {
  return access == Access::async_read || access == Access::async_write ||
         access == Access::matrix_read;
}

/// One access: `who` is block, clock, many, thread (most significant first), `what` the address
/// that its code returns to, then many, kind and bytes. Numbers and not bit fields: `who` is
/// compared as a whole.
struct Mark {
  std::uint64_t who = 0, what = 0;

  static constexpr unsigned thread_bits = 10, clock_low = 11, clock_bits = 24, block_low = 35;
  static constexpr std::uint64_t many_bit = std::uint64_t{1} << thread_bits;
  static constexpr std::uint64_t clock_mask = ((std::uint64_t{1} << clock_bits) - 1) << clock_low;

  /// More than one thread made this access, and `thread` is one of them.
  enum Many : unsigned { one, lanes, warps, blocks };
  enum Kind : unsigned { plain, is_volatile, is_atomic, is_async };

  static std::uint64_t what_of(const void* code, Many many, Kind kind, unsigned bytes) {
    return reinterpret_cast<std::uint64_t>(code) << 8 | many << 6 | kind << 4 | bytes;
  }
  unsigned thread() const { return who & (many_bit - 1); }
  unsigned clock() const { return static_cast<unsigned>((who & clock_mask) >> clock_low); }
  std::uint64_t block() const { return who >> block_low; }
  unsigned bytes() const { return what & 15; }
  Kind kind() const { return static_cast<Kind>(what >> 4 & 3); }
  Many many() const { return static_cast<Many>(what >> 6 & 3); }
  const void* code() const { return reinterpret_cast<const void*>(what >> 8); }
};

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

/// Of a word, beside its shadow: tells at once that one more plain read changes nothing. While it
/// is the number that a thread compares it with (Order, launch/running.h), all of the word's bytes
/// are written, nothing has written them since, and the mark of reads stands for that thread's,
/// too. What makes one of these untrue, such as a copy to the word in flight, clears the stamp.
using ReadStamp = std::uint32_t;

inline ReadStamp* global_stamp_of_word(std::uintptr_t word) {
  return reinterpret_cast<ReadStamp*>(word - arena_low + arena_stamp_low);
}
inline ReadStamp* global_stamp(std::uintptr_t address) {
  return global_stamp_of_word(address & ~std::uintptr_t{3});
}
/// For an address in the shared memory of any block.
inline ReadStamp* shared_stamp_of_word(std::uintptr_t word) {
  return reinterpret_cast<ReadStamp*>(word + (2 + shadow_per_byte) * shared_span);
}
inline ReadStamp* shared_stamp(std::uintptr_t address) {
  return shared_stamp_of_word(address & ~std::uintptr_t{3});
}
inline void clear_stamp(ReadStamp* stamp) {
  // What is only written keeps its untouched pages.
  if (__atomic_load_n(stamp, __ATOMIC_RELAXED) != 0) __atomic_store_n(stamp, 0, __ATOMIC_RELAXED);
}

/// Numbers for so many blocks, higher than all before: the first of them. Copies and fills have one
/// each, too. When they run out, all
/// shadows are cleared and numbers begin again.
std::uint64_t number_blocks(std::uint64_t blocks);
/// How often numbers have begun again.
unsigned number_rounds();

}  // namespace kata::emulator
