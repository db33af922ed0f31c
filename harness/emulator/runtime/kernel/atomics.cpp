// CUDA's atomic functions: one read-modify-write, whole across the OS threads that run blocks.

#include "emulator/runtime/kernel/atomics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "emulator/runtime/check/access.h"
#include "emulator/runtime/kernel/narrow_floats.h"
#include "emulator/runtime/run/scheduler.h"

namespace kata::emulator {
namespace {

template <class T>
T modified(AtomicOp op, T old, T value, T compare) {
  switch (op) {
    case AtomicOp::add:
      return old + value;
    case AtomicOp::min:
      return value < old ? value : old;
    case AtomicOp::max:
      return value > old ? value : old;
    case AtomicOp::exch:
      return value;
    case AtomicOp::cas:
      return std::memcmp(&old, &compare, sizeof old) == 0 ? value : old;
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (op) {
      case AtomicOp::and_:
        return old & value;
      case AtomicOp::or_:
        return old | value;
      case AtomicOp::xor_:
        return old ^ value;
      case AtomicOp::inc:
        return old >= value ? 0 : old + 1;
      case AtomicOp::dec:
        return old == 0 || old > value ? value : old - 1;
      default:
        break;
    }
  }
  return old;
}

/// Signed values wrap round: they are computed as unsigned, but for min and max.
template <class T>
T wrapped(AtomicOp op, T old, T value, T compare) {
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    if (op != AtomicOp::min && op != AtomicOp::max) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(
          modified<U>(op, static_cast<U>(old), static_cast<U>(value), static_cast<U>(compare)));
    }
  }
  return modified(op, old, value, compare);
}

template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// A failed compare-and-swap, a lock that was taken already, a look by atomicAdd(p, 0): what a
/// thread that spins does. Shared memory's do not count anyway.
void changed_nothing(AtomicOp op, const void* target) {
  const auto address = reinterpret_cast<std::uintptr_t>(target);
  if (address - running.shared_low < shared_span) return;
  --running.progress;
  if (op != AtomicOp::cas && op != AtomicOp::exch) charge_for_spinning();  // these have paid
  if (running.thread) running.scheduler->has_looked_in_vain(address);
}

template <class T>
std::uint64_t update(AtomicOp op, void* address, std::uint64_t value, std::uint64_t compare) {
  T* target = static_cast<T*>(address);
  T old, next;
  __atomic_load(target, &old, __ATOMIC_RELAXED);
  do {
    next = wrapped(op, old, from_bits<T>(value), from_bits<T>(compare));
  } while (
      !__atomic_compare_exchange(target, &old, &next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  if (std::memcmp(&old, &next, sizeof old) == 0) changed_nothing(op, target);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &old, sizeof old);
  return bits;
}

/// Of one half, or of both halves of a word on their own.
template <class Word, class F>
std::uint64_t update_narrow(void* address, std::uint64_t value, const F& combine) {
  Word* target = static_cast<Word*>(address);
  Word old = __atomic_load_n(target, __ATOMIC_RELAXED), next;
  do {
    next = 0;
    for (unsigned shift = 0; shift < 8 * sizeof(Word); shift += 16) {
      next = static_cast<Word>(
          next | static_cast<Word>(combine(static_cast<std::uint16_t>(old >> shift),
                                           static_cast<std::uint16_t>(value >> shift)))
                     << shift);
    }
  } while (
      !__atomic_compare_exchange_n(target, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  return old;
}

float combined(AtomicOp op, float a, float b) {
  return op == AtomicOp::min ? std::fmin(a, b) : op == AtomicOp::max ? std::fmax(a, b) : a + b;
}

auto on_halves(AtomicOp op) {
  return [op](std::uint16_t a, std::uint16_t b) {
    return half_from_float(combined(op, float_from_half(a), float_from_half(b)));
  };
}

auto on_bf16(AtomicOp op) {
  return [op](std::uint16_t a, std::uint16_t b) {
    return bf16_from_float(combined(op, float_from_bf16(a), float_from_bf16(b)));
  };
}

unsigned bytes_of(AtomicType type) {
  switch (type) {
    case AtomicType::u64:
    case AtomicType::i64:
    case AtomicType::f64:
      return 8;
    case AtomicType::f16:
    case AtomicType::bf16:
    case AtomicType::u16:
      return 2;
    default:
      return 4;
  }
}

template <Access access>
void check(std::uintptr_t address, unsigned bytes, const void* code) {
  if (bytes == 8) return check_access<8, access>(address, code);
  if (bytes == 4) return check_access<4, access>(address, code);
  check_access<2, access>(address, code);
}

}  // namespace

std::uint64_t atomic_update(AtomicOp op, AtomicType type, std::uintptr_t target,
                            std::uint64_t value, std::uint64_t compare, const void* code) {
  if (op == AtomicOp::cas || op == AtomicOp::exch) charge_for_spinning();
  if (op == AtomicOp::exch) {
    // What was there is only handed back: storing into fresh memory is no mistake.
    check<Access::exchange>(target, bytes_of(type), code);
  } else if (op == AtomicOp::cas) {
    check<Access::compare>(target, bytes_of(type), code);
  } else {
    check<Access::atomic>(target, bytes_of(type), code);
  }
  if (running.thread && !running.scheduler->block().chains.empty()) {
    Block& block = running.scheduler->block();
    running.scheduler->profiler().atomic(block.chains[running.thread->id], op, type, target,
                                         target - running.shared_low < shared_span, block.order());
  }
  const bool is_integer = type == AtomicType::i32 || type == AtomicType::u32 ||
                          type == AtomicType::i64 || type == AtomicType::u64;
  // The last one wins, or the rounding depends on who came first.
  const bool order_shows = op == AtomicOp::exch || (op == AtomicOp::add && !is_integer);
  if (order_shows && running.thread && target - arena_low < arena_bytes)
    running.scheduler->launch().order_matters = true;
  void* address = reinterpret_cast<void*>(target);
  switch (type) {
    case AtomicType::i32:
      return update<std::int32_t>(op, address, value, compare);
    case AtomicType::u32:
      return update<std::uint32_t>(op, address, value, compare);
    case AtomicType::u64:
      return update<std::uint64_t>(op, address, value, compare);
    case AtomicType::i64:
      return update<std::int64_t>(op, address, value, compare);
    case AtomicType::u16:
      return update<std::uint16_t>(op, address, value, compare);
    case AtomicType::f32:
      return update<float>(op, address, value, compare);
    case AtomicType::f64:
      return update<double>(op, address, value, compare);
    case AtomicType::f16:
      return update_narrow<std::uint16_t>(address, value, on_halves(op));
    case AtomicType::f16x2:
      return update_narrow<std::uint32_t>(address, value, on_halves(op));
    case AtomicType::bf16:
      return update_narrow<std::uint16_t>(address, value, on_bf16(op));
    default:
      return update_narrow<std::uint32_t>(address, value, on_bf16(op));
  }
}

void end_atomic(std::uintptr_t address, const void* code) {
  if (!running.thread || address - running.shared_low < shared_span) return;
  running.scheduler->let_others_overtake();
  if (running.scheduler->spins_on(address)) look_around(code);
}

}  // namespace kata::emulator

using namespace kata::emulator;

unsigned long long __kata_atomic(int op, int type, void* address, unsigned long long value,
                                 unsigned long long compare) {
  const auto target = reinterpret_cast<std::uintptr_t>(address);
  const auto old = atomic_update(static_cast<AtomicOp>(op), static_cast<AtomicType>(type), target,
                                 value, compare, __builtin_return_address(0));
  end_atomic(target, __builtin_return_address(0));
  return old;
}
