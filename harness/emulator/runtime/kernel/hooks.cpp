// The functions that a compiler's -fsanitize=thread calls before every memory access, and the
// memory functions of the C library as candidates are linked to them. ThreadSanitizer's own
// runtime is not used: these take its place.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "emulator/include/kata_emulator/quick_hooks.h"
#include "emulator/runtime/check/access.h"
#include "emulator/runtime/check/findings.h"
#include "emulator/runtime/count/loop_path.h"
#include "emulator/runtime/memory/cuda_types.h"
#include "emulator/runtime/run/scheduler.h"

#define HOOK __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)

namespace {

using kata::emulator::Access;
using kata::emulator::AccessKind;
using kata::emulator::charge_for_spinning;
using kata::emulator::check_access;
using kata::emulator::check_range;
using kata::emulator::fence;

// What quick_hooks.h has written in numbers.
using namespace kata::emulator;
constexpr std::size_t in_order(std::size_t offset) {
  return offsetof(Running, order) + offset;
}
constexpr std::size_t loads(AccessKind kind) {
  return offsetof(Running, counts) + (5 * static_cast<unsigned>(kind) + 2) * sizeof(std::uint64_t);
}
static_assert(offsetof(Running, stamped_shared_low) == __KATA_SHARED_LOW);
static_assert(offsetof(Running, stamped_global_low) == __KATA_GLOBAL_LOW);
static_assert(offsetof(Running, quantum) == __KATA_QUANTUM);
static_assert(offsetof(Running, blocks) == __KATA_BLOCKS);
static_assert(offsetof(Running, path) == __KATA_PATH);
static_assert(in_order(offsetof(Order, read_by_lanes)) == __KATA_READ_BY_LANES);
static_assert(in_order(offsetof(Order, read_by_warps)) == __KATA_READ_BY_WARPS);
static_assert(in_order(offsetof(Order, read_by_blocks)) == __KATA_READ_BY_BLOCKS);
static_assert(loads(AccessKind::global_load) == __KATA_GLOBAL_LOADS);
static_assert(loads(AccessKind::shared_load) == __KATA_SHARED_LOADS);
static_assert(shared_span / 4 == __KATA_SHARED_WORDS);
static_assert((2 + shadow_per_byte) * shared_span == __KATA_SHARED_STAMPS);
static_assert(arena_bytes / 4 == std::uintptr_t{1} << __KATA_LOG2_GLOBAL_WORDS);
static_assert(arena_stamp_low - arena_low == __KATA_GLOBAL_STAMPS);

void check_copy(const void* to, const void* from, std::size_t bytes, const void* caller) {
  check_range(address_of(from), bytes, Access::read, caller);
  check_range(address_of(to), bytes, Access::write, caller);
}

/// An atomic operation with this memory order, which may be a fence as well.
void fence_for(int order, const void* caller) {
  charge_for_spinning();
  if (order >= __ATOMIC_RELEASE) fence(Scope::system, caller);
}

template <unsigned size, Access access>
void check_atomic(const volatile void* p, int order, const void* caller) {
  check_access<size, access>(address_of(p), caller);
  if (order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE)
    kata::emulator::acquire(Scope::system, caller);
}

/// Of host code nothing is to be done at the start of one.
constexpr std::int64_t blocks_of_host = std::int64_t{1} << 60;

/// All that there may be to do at the start of a basic block.
__attribute__((noinline)) void enter_block(const void* caller) {
  using kata::emulator::running;
  if (!running.thread) {
    running.blocks = blocks_of_host;
    return;
  }
  running.blocks = 0;
  if (!running.watches_blocks() || --running.watched_blocks < 0)
    kata::emulator::look_for_accesses(caller);
  if (running.path) {
    // Of the function that the block belongs to, or as far below it in every call.
    const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    running.path->enter(address_of(caller), frame);
  } else if (!running.is_checked && --running.quantum < 0) {
    kata::emulator::look_around(caller);  // no access does it
  }
}

/// A type and a check as the compilers describe them to UndefinedBehaviorSanitizer's runtime.
struct TypeDescriptor {
  std::uint16_t kind;  ///< 0: an integer
  std::uint16_t info;  ///< of an integer: 1 if signed, 2 * the logarithm of its bits
  char name[1];        ///< quoted

  std::int64_t extended(std::uintptr_t value) const {
    const unsigned unused = 64 - (1u << (info >> 1));
    if (info & 1) return static_cast<std::int64_t>(value << unused) >> unused;
    return static_cast<std::int64_t>(value << unused >> unused);
  }
};

struct SourceLocation {
  const char* file;
  std::uint32_t line, column;
};

struct Subscript {
  SourceLocation location;
  const TypeDescriptor* array;
  const TypeDescriptor* index;
};

struct Arithmetic {
  SourceLocation location;
  const TypeDescriptor* type;
};

void note_overflow(const Arithmetic& at, char operation, std::uintptr_t left, std::uintptr_t right,
                   const void* caller) {
  const IntegerOverflow fault{operation, at.type->extended(left), at.type->extended(right),
                              at.type->name};
  if (running.thread) {
    note(fault, caller);
  } else {
    Findings::instance().add_host_incident({before(caller), fault});
  }
}

}  // namespace

extern "C" {

HOOK void __tsan_init() {}
HOOK void __tsan_func_entry(void*) {}
HOOK void __tsan_func_exit() {}
HOOK void __tsan_ignore_thread_begin() {}
HOOK void __tsan_ignore_thread_end() {}

/// At the start of every basic block.
HOOK void __sanitizer_cov_trace_pc() {
  if (--kata::emulator::running.blocks < 0) [[unlikely]]
    enter_block(CALLER);
}

/// The longer way of __tsan_read4, which modules have in place.
HOOK void __kata_first_read4(void* p) {
  kata::emulator::check_first_read<4>(address_of(p), CALLER);
}

HOOK void __tsan_vptr_read(void** pointer) {
  check_access<8, Access::read>(address_of(pointer), CALLER);
}
HOOK void __tsan_vptr_update(void** pointer, void*) {
  check_access<8, Access::write>(address_of(pointer), CALLER);
}

#define KATA_ACCESSES(size)                                            \
  HOOK void __tsan_read##size(void* p) {                               \
    check_access<size, Access::read>(address_of(p), CALLER);           \
  }                                                                    \
  HOOK void __tsan_write##size(void* p) {                              \
    check_access<size, Access::write>(address_of(p), CALLER);          \
  }                                                                    \
  HOOK void __tsan_read_write##size(void* p) {                         \
    check_access<size, Access::read>(address_of(p), CALLER);           \
    check_access<size, Access::write>(address_of(p), CALLER);          \
  }                                                                    \
  HOOK void __tsan_volatile_read##size(void* p) {                      \
    charge_for_spinning();                                             \
    check_access<size, Access::volatile_read>(address_of(p), CALLER);  \
  }                                                                    \
  HOOK void __tsan_volatile_write##size(void* p) {                     \
    check_access<size, Access::volatile_write>(address_of(p), CALLER); \
  }                                                                    \
  HOOK void __tsan_unaligned_read##size(void* p) {                     \
    check_range(address_of(p), size, Access::read, CALLER);            \
  }                                                                    \
  HOOK void __tsan_unaligned_write##size(void* p) {                    \
    check_range(address_of(p), size, Access::write, CALLER);           \
  }                                                                    \
  HOOK void __tsan_unaligned_read_write##size(void* p) {               \
    check_range(address_of(p), size, Access::read, CALLER);            \
    check_range(address_of(p), size, Access::write, CALLER);           \
  }                                                                    \
  HOOK void __tsan_unaligned_volatile_read##size(void* p) {            \
    charge_for_spinning();                                             \
    check_range(address_of(p), size, Access::volatile_read, CALLER);   \
  }                                                                    \
  HOOK void __tsan_unaligned_volatile_write##size(void* p) {           \
    check_range(address_of(p), size, Access::volatile_write, CALLER);  \
  }
KATA_ACCESSES(1)
KATA_ACCESSES(2)
KATA_ACCESSES(4)
KATA_ACCESSES(8)
KATA_ACCESSES(16)

HOOK void __tsan_read_range(void* p, std::size_t bytes) {
  check_range(address_of(p), bytes, Access::read, CALLER);
}
HOOK void __tsan_write_range(void* p, std::size_t bytes) {
  check_range(address_of(p), bytes, Access::write, CALLER);
}

#define KATA_MEMORY_FUNCTIONS(prefix)                                         \
  HOOK void* prefix##memcpy(void* to, const void* from, std::size_t bytes) {  \
    check_copy(to, from, bytes, CALLER);                                      \
    return std::memcpy(to, from, bytes);                                      \
  }                                                                           \
  HOOK void* prefix##memmove(void* to, const void* from, std::size_t bytes) { \
    check_copy(to, from, bytes, CALLER);                                      \
    return std::memmove(to, from, bytes);                                     \
  }                                                                           \
  HOOK void* prefix##memset(void* to, int value, std::size_t bytes) {         \
    check_range(address_of(to), bytes, Access::write, CALLER);                \
    return std::memset(to, value, bytes);                                     \
  }
KATA_MEMORY_FUNCTIONS(__kata_)
KATA_MEMORY_FUNCTIONS(__tsan_)

// std::atomic and the compiler's __atomic functions.
#define KATA_FETCH(bits, T, name)                                                \
  HOOK T __tsan_atomic##bits##_fetch_##name(volatile T* p, T value, int order) { \
    fence_for(order, CALLER);                                                    \
    check_atomic<bits / 8, Access::atomic>(p, order, CALLER);                    \
    return __atomic_fetch_##name(p, value, __ATOMIC_SEQ_CST);                    \
  }
#define KATA_COMPARE_EXCHANGE(bits, T, strength)                                                  \
  HOOK int __tsan_atomic##bits##_compare_exchange_##strength(volatile T* p, T* expected, T value, \
                                                             int order, int) {                    \
    fence_for(order, CALLER);                                                                     \
    check_atomic<bits / 8, Access::compare>(p, order, CALLER);                                    \
    return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST,               \
                                       __ATOMIC_SEQ_CST);                                         \
  }
#define KATA_ATOMICS(bits, T)                                                                      \
  HOOK T __tsan_atomic##bits##_load(const volatile T* p, int order) {                              \
    charge_for_spinning();                                                                         \
    check_atomic<bits / 8, Access::atomic_read>(p, order, CALLER);                                 \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                \
  HOOK void __tsan_atomic##bits##_store(volatile T* p, T value, int order) {                       \
    fence_for(order, CALLER);                                                                      \
    check_access<bits / 8, Access::atomic_write>(address_of(p), CALLER);                           \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                                \
  HOOK T __tsan_atomic##bits##_exchange(volatile T* p, T value, int order) {                       \
    fence_for(order, CALLER);                                                                      \
    check_atomic<bits / 8, Access::atomic>(p, order, CALLER);                                      \
    return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                                        \
  }                                                                                                \
  KATA_FETCH(bits, T, add)                                                                         \
  KATA_FETCH(bits, T, sub)                                                                         \
  KATA_FETCH(bits, T, and)                                                                         \
  KATA_FETCH(bits, T, or)                                                                          \
  KATA_FETCH(bits, T, xor)                                                                         \
  KATA_FETCH(bits, T, nand)                                                                        \
  KATA_COMPARE_EXCHANGE(bits, T, strong)                                                           \
  KATA_COMPARE_EXCHANGE(bits, T, weak)                                                             \
  HOOK T __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T expected, T value, int order, \
                                                    int) {                                         \
    fence_for(order, CALLER);                                                                      \
    check_atomic<bits / 8, Access::compare>(p, order, CALLER);                                     \
    __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
    return expected;                                                                               \
  }
KATA_ATOMICS(8, std::uint8_t)
KATA_ATOMICS(16, std::uint16_t)
KATA_ATOMICS(32, std::uint32_t)
KATA_ATOMICS(64, std::uint64_t)

HOOK void __tsan_atomic_thread_fence(int) {
  fence(Scope::system, CALLER);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
HOOK void __tsan_atomic_signal_fence(int) {}

/// Before a subscript that is outside its array (-fsanitize=bounds). In a kernel the launch ends:
/// an array of a thread's own has nothing round it that may be overwritten.
HOOK void __ubsan_handle_out_of_bounds(const Subscript* subscript, std::uintptr_t value) {
  using namespace kata::emulator;
  if (!running.thread) return;
  const BadSubscript fault{subscript->index->extended(value), subscript->array->name};
  running.scheduler->abort(running.scheduler->incident(before(CALLER), fault),
                           cudaErrorIllegalAddress);
}

// Where the result of signed integers does not fit (-fsanitize=signed-integer-overflow).
#define KATA_OVERFLOW(name, operation)                                                  \
  HOOK void __ubsan_handle_##name##_overflow(const Arithmetic* at, std::uintptr_t left, \
                                             std::uintptr_t right) {                    \
    note_overflow(*at, operation, left, right, CALLER);                                 \
  }
KATA_OVERFLOW(add, '+')
KATA_OVERFLOW(sub, '-')
KATA_OVERFLOW(mul, '*')
KATA_OVERFLOW(divrem, '/')

HOOK void __ubsan_handle_negate_overflow(const Arithmetic* at, std::uintptr_t value) {
  note_overflow(*at, '-', 0, value, CALLER);
}

/// Where a function ends without returning its value (-fsanitize=return): it has nowhere to go on.
HOOK void __ubsan_handle_missing_return(const SourceLocation* function) {
  using namespace kata::emulator;
  if (!running.thread) {
    std::fprintf(stderr, "%s:%u: the function that begins here ends without returning a value\n",
                 function->file, function->line);
    std::abort();
  }
  const Place place{nullptr, function->file, static_cast<int>(function->line)};
  running.scheduler->abort(running.scheduler->incident(place, MissingReturn{}),
                           cudaErrorLaunchFailure);
}

}  // extern "C"
