// CUDA's atomic functions: one read-modify-write, whole across the OS threads that run blocks.

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/runtime/access.h"
#include "emulator/runtime/worker.h"

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

template <class T>
std::uint64_t update(AtomicOp op, void* address, std::uint64_t value, std::uint64_t compare) {
  T* target = static_cast<T*>(address);
  T old, next;
  __atomic_load(target, &old, __ATOMIC_RELAXED);
  do {
    next = wrapped(op, old, from_bits<T>(value), from_bits<T>(compare));
  } while (
      !__atomic_compare_exchange(target, &old, &next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &old, sizeof old);
  return bits;
}

bool is_wide(AtomicType type) {
  return type == AtomicType::u64 || type == AtomicType::i64 || type == AtomicType::f64;
}

}  // namespace
}  // namespace kata::emulator

using namespace kata::emulator;

unsigned long long __kata_atomic(int op, int type, void* address, unsigned long long value,
                                 unsigned long long compare) {
  const void* caller = __builtin_return_address(0);
  const auto target = reinterpret_cast<std::uintptr_t>(address);
  const auto kind = static_cast<AtomicType>(type);
  const auto operation = static_cast<AtomicOp>(op);
  if (operation == AtomicOp::cas || operation == AtomicOp::exch) charge_for_spinning();
  if (operation == AtomicOp::exch) {
    // What was there is only handed back: storing into fresh memory is no mistake.
    is_wide(kind) ? check_access<8, Access::exchange>(target, caller)
                  : check_access<4, Access::exchange>(target, caller);
  } else {
    is_wide(kind) ? check_access<8, Access::atomic>(target, caller)
                  : check_access<4, Access::atomic>(target, caller);
  }
  if (running.thread && !running.worker->block().chains.empty()) {
    Block& block = running.worker->block();
    running.worker->profile().atomic(block.chains[running.thread->id], operation, kind, target,
                                     block.order());
  }
  switch (kind) {
    case AtomicType::i32:
      return update<std::int32_t>(operation, address, value, compare);
    case AtomicType::u32:
      return update<std::uint32_t>(operation, address, value, compare);
    case AtomicType::u64:
      return update<std::uint64_t>(operation, address, value, compare);
    case AtomicType::i64:
      return update<std::int64_t>(operation, address, value, compare);
    case AtomicType::f32:
      return update<float>(operation, address, value, compare);
    default:
      return update<double>(operation, address, value, compare);
  }
}
