#pragma once
// The checks that every memory access of a candidate goes through, before it happens.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "emulator/runtime/check/races.h"
#include "emulator/runtime/count/loop_path.h"
#include "emulator/runtime/count/requests.h"
#include "emulator/runtime/launch/builtins.h"
#include "emulator/runtime/launch/running.h"
#include "emulator/runtime/memory/device_memory.h"
#include "emulator/runtime/memory/shared_memory.h"
#include "emulator/runtime/run/fiber.h"

namespace kata::emulator {

/// Records a fault of the running thread.
void note(const Fault& fault, const void* return_address);
/// Records it, and ends the launch.
[[noreturn]] void end_at(const Fault& fault, int error, const void* return_address);

// What happens when the quick check fails.
void look_around(const void* return_address);
void look_for_accesses(const void* return_address);
/// Unless it is called, an access of host code's is searched for no caller in Thrust, which takes
/// some milliseconds.
void expect_thrust();
/// Of host code, or of a launch whose accesses are not looked at.
void unchecked_access(std::uintptr_t address, std::size_t size, Access access,
                      const void* return_address);
void check_shared(std::size_t offset, unsigned size, Access access, const void* return_address);
void check_global(std::uintptr_t offset, unsigned size, Access access, const void* return_address);
void profile_access(AccessKind kind, std::uint64_t address, const void* return_address);
void wait_for_warp(const void* return_address);
/// Of an address outside the part of device memory that needs no look: whether it lies in another
/// one that the launch's device may use.
bool may_reach(std::uintptr_t address, unsigned size, Access access, const void* return_address);
void check_elsewhere(std::uintptr_t address, unsigned size, Access access,
                     const void* return_address);
[[noreturn]] void end_at_misaligned(std::uintptr_t address, unsigned size, Access access,
                                    const void* return_address,
                                    AccessedBy by = AccessedBy::load_or_store);

template <class Word>
Word load(const void* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

/// Whether all bytes may be read and, for a write, also written.
template <unsigned size, bool is_write>
inline bool global_ready(std::uintptr_t offset) {
  const std::uint8_t* state = state_of(offset);
  constexpr std::uint32_t each = is_write ? 0xffffffff : 0x0f0f0f0f;
  if constexpr (size == 16) return (load<std::uint32_t>(state) & each) == each;
  if constexpr (size == 8) return (load<std::uint16_t>(state) & each) == (each & 0xffff);
  if constexpr (size == 4) return (*state & each) == (each & 0xff);
  if constexpr (size < 4) {
    const unsigned bits = ((1u << size) - 1) * (is_write ? 0x11 : 0x01) << (offset & 3);
    return (*state & bits) == bits;
  }
}

/// Whether all bytes belong to an input. A write to one is a finding, so reads cannot race.
template <unsigned size>
inline bool is_input(std::uintptr_t offset) {
  const std::uint8_t* state = state_of(offset);
  constexpr auto each = static_cast<std::uint8_t>(15 * static_cast<unsigned>(ByteState::input));
  if constexpr (size == 16) return load<std::uint32_t>(state) == each * 0x01010101u;
  if constexpr (size == 8) return load<std::uint16_t>(state) == each * 0x0101u;
  if constexpr (size <= 4) return *state == each;
}

template <unsigned size>
inline bool shared_ready(const std::uint8_t* state) {
  static_assert(written == 2);
  constexpr std::uint64_t each = 0x0202020202020202;
  if constexpr (size == 16)
    return load<std::uint64_t>(state) == each && load<std::uint64_t>(state + 8) == each;
  if constexpr (size == 8) return load<std::uint64_t>(state) == each;
  if constexpr (size == 4) return load<std::uint32_t>(state) == static_cast<std::uint32_t>(each);
  if constexpr (size == 2) return load<std::uint16_t>(state) == static_cast<std::uint16_t>(each);
  if constexpr (size == 1) return *state == written;
}

template <unsigned size>
inline constexpr unsigned log2_of = size == 16  ? 4
                                    : size == 8 ? 3
                                    : size == 4 ? 2
                                                : size - 1;

constexpr AccessKind counted_as(Access access, AccessKind load, AccessKind store,
                                AccessKind atomic) {
  if (access >= Access::atomic) return atomic;
  return reads(access) ? load : store;
}

/// The instruction that the step is of, packed.
inline std::uint64_t record_step(AccessKind kind, unsigned log2_width, std::uint64_t address,
                                 bool is_plain, const void* return_address) {
  const std::uint64_t instruction =
      packed(return_address, kind, log2_width, is_plain, running.path->copy());
  while (!running.trace->add(running.lane, instruction, running.path->iteration(), address))
    wait_for_warp(return_address);
  return instruction;
}

/// A lane's part in a product of its warp's. The first lane counts it.
void profile_product(MatrixElement type, std::uint64_t multiply_adds);
/// A warpgroup's: `is_last` for the thread that completes it.
void profile_wgmma(MatrixElement type, std::uint64_t multiply_adds, bool is_last);

/// The access is part of a request of its warp.
inline void record_access(AccessKind kind, unsigned log2_width, std::uint64_t address,
                          bool is_plain, const void* return_address) {
  record_step(kind, log2_width, address, is_plain, return_address);
  if (running.is_profiled) [[unlikely]]
    profile_access(kind, address, return_address);
}

/// A copy to shared memory is part of a request that reads as well.
inline void record_copy(AccessKind source, unsigned log2_width, std::uint64_t from,
                        std::uint64_t to, const void* return_address) {
  record_step(source, log2_width, from, true, return_address);
  record_step(AccessKind::shared_store, log2_width, to, true, return_address);
}

/// Whether an address so far above an aligned one is aligned and below its end: bits that would
/// have to be 0 come out as the highest.
template <unsigned size>
inline bool is_aligned_below(std::uintptr_t offset, std::uintptr_t end) {
  return std::rotr(offset, static_cast<int>(log2_of<size>)) < end / size;
}

template <unsigned size>
inline __attribute__((always_inline)) bool count_read(AccessKind kind) {
  if (--running.quantum < 0) [[unlikely]]
    return false;  // the longer way looks around
  ++running.counts.of(kind, log2_of<size>);
  return true;
}

/// A plain read that the stamps show to be as good as the many before it.
template <unsigned size>
inline __attribute__((always_inline)) bool is_read_again(std::uintptr_t address) {
  if (is_aligned_below<size>(address - running.stamped_shared_low, shared_span)) {
    return is_stamped_in_shared<size>(running.order, address) &&
           count_read<size>(AccessKind::shared_load);
  }
  return is_aligned_below<size>(address - running.stamped_global_low, arena_bytes) &&
         is_stamped_in_global<size>(running.order, address) &&
         count_read<size>(AccessKind::global_load);
}

template <unsigned size, Access access>
inline __attribute__((always_inline)) void check_any_access(std::uintptr_t address,
                                                            const void* return_address) {
  Running& now = running;
  if (!now.is_checked) [[unlikely]] {
    if (!now.thread && address - arena_low >= arena_bytes) return;  // host code in its own memory
    return unchecked_access(address, size, access, return_address);
  }
  if (--now.quantum < 0) [[unlikely]]
    look_around(return_address);
  if (address - now.stack_low < fiber_stack_bytes) return;  // its own local variables

  const std::uintptr_t shared = address - now.shared_low;
  if (shared < shared_span) {
    if ((address & (size - 1)) != 0) [[unlikely]]
      end_at_misaligned(address, size, access, return_address);
    const auto* state = reinterpret_cast<const std::uint8_t*>(address + shared_span);
    const bool is_ready = shared_ready<size>(state);
    if (!is_ready) [[unlikely]]
      check_shared(shared, size, access, return_address);
    constexpr AccessKind kind = counted_as(access, AccessKind::shared_load,
                                           AccessKind::shared_store, AccessKind::shared_atomic);
    if (!is_plain(access) || now.leaves_marks) {
      check_order<size, access, true>(shared_shadow(now.shared_low, shared), address, is_ready,
                                      return_address);
    } else if (access == Access::read && size >= 4 && is_ready) {
      stamp_written<size>(now.order, address);
    }
    ++now.counts.of(kind, log2_of<size>);
    if (now.trace) [[unlikely]]
      record_access(kind, log2_of<size>, shared, is_plain(access), return_address);
    return;
  }
  const std::uintptr_t global = address - arena_low;
  if (address - now.reach_low < now.reach_bytes || may_reach(address, size, access, return_address))
      [[likely]] {
    if ((address & (size - 1)) != 0) [[unlikely]]
      end_at_misaligned(address, size, access, return_address);
    if (access != Access::read || !is_input<size>(global)) {
      const bool is_ready = global_ready<size, writes(access)>(global);
      if (!is_ready) [[unlikely]]
        check_global(global, size, access, return_address);
      if (!is_plain(access) || now.leaves_marks)
        check_order<size, access, false>(global_shadow(global), address, is_ready, return_address);
    }
    constexpr AccessKind kind = counted_as(access, AccessKind::global_load,
                                           AccessKind::global_store, AccessKind::global_atomic);
    ++now.counts.of(kind, log2_of<size>);
    if (now.trace) [[unlikely]]
      record_access(kind, log2_of<size>, global, is_plain(access), return_address);
    return;
  }
  check_elsewhere(address, size, access, return_address);
}

/// In one of CUDA's variables. g++ has hooks for reads of blockDim and gridDim, since their type
/// has a constructor.
inline bool is_builtin(std::uintptr_t address) {
  for (const Triple* variable : {&blockDim, &gridDim, &threadIdx, &blockIdx}) {
    if (address - reinterpret_cast<std::uintptr_t>(variable) < sizeof(Triple)) return true;
  }
  return false;
}

template <unsigned size>
__attribute__((noinline)) void check_first_read(std::uintptr_t address,
                                                const void* return_address) {
  if (is_builtin(address)) return;
  check_any_access<size, Access::read>(address, return_address);
}

/// An access of `size` bytes at an address that its type wants aligned.
template <unsigned size, Access access>
inline __attribute__((always_inline)) void check_access(std::uintptr_t address,
                                                        const void* return_address) {
  if constexpr (access == Access::read && size >= 4) {
    // The way of most accesses: it needs no register that a caller wants back.
    if (is_read_again<size>(address)) [[likely]]
      return;
    check_first_read<size>(address, return_address);
  } else {
    check_any_access<size, access>(address, return_address);
  }
}

/// An access whose address its type allows to be less aligned than it is wide: it happens in
/// pieces of at most 4 bytes, as nvcc makes it.
void check_range(std::uintptr_t address, std::size_t bytes, Access access,
                 const void* return_address);

/// Spinning is made of these: a thread that does many lets others run sooner.
inline void charge_for_spinning() {
  running.quantum -= 15;
}

}  // namespace kata::emulator
