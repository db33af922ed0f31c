#pragma once
// What threads do with mbarrier objects (run/mbarriers.h). Each function is called by a running
// thread for an object of its block or, where that is said, of another block of the cluster; `code`
// is the address that its call returns to. An object that no thread has initialised, or that is not
// aligned to 8 bytes, ends the launch.

#include <cstdint>
#include <memory>

#include "emulator/runtime/run/mbarriers.h"

namespace kata::emulator {

class Block;

inline constexpr std::int64_t most_arrivals = (1 << 20) - 1;
inline constexpr std::int64_t most_barrier_bytes = (1 << 20) - 1;

/// Its first phase, of number 0, expects so many arrivals.
void init_mbarrier(std::uintptr_t at, unsigned expected, const void* code);
/// A fence by the running thread, or its release at its cluster's barrier (`of_all`: then with what
/// the block's other threads have done): other blocks see from their next meeting on that the
/// objects are initialised.
void publish_mbarriers(bool of_all);
/// The async proxy sees all of the block's mbarriers from now on.
void fence_mbarriers();
/// A bulk copy is about to count at the mbarrier, whose init it must see.
void check_mbarrier_fence(std::uintptr_t at, const void* code);
/// The memory is ordinary again.
void invalidate_mbarrier(std::uintptr_t at, const void* code);

struct Arrival {
  unsigned count = 1;      ///< arrivals; 0: only bytes are expected
  std::int64_t bytes = 0;  ///< that the phase expects besides (expect_tx)
  bool drops = false;      ///< those arrivals are not expected in later phases either
  bool releases = true;    ///< what the thread did before comes before what those who wait do
};
/// The number of the phase and the pending arrivals, before this one. Also of another block.
struct BeforeArrival {
  std::uint64_t phase;
  unsigned pending;
};
BeforeArrival arrive_at_mbarrier(std::uintptr_t at, const Arrival& arrival, const void* code);

/// Bytes that a phase expects have come (complete_tx). `copy` is what brings them to whoever waits
/// for the phase; null: nothing does. Also of another block.
void complete_bytes(std::uintptr_t at, std::int64_t bytes, std::shared_ptr<const BulkCopy> copy,
                    const void* code);

/// The number of the phase that is not complete.
std::uint64_t phase_of_mbarrier(std::uintptr_t at, const void* code);

/// The phase that counts the bulk copy to this byte of a block's shared memory, if it is not
/// complete.
std::shared_ptr<const MissingPhase> phase_of_copy(Block& owner, std::uintptr_t address);

enum class Wait {
  once,     ///< until the phase is complete, or no other thread of the block can go on before
  for_ever  ///< until the phase is complete
};
/// Whether the phase is complete. Then the copies that it counted have arrived, and with `acquires`
/// what was released comes before what the thread does from now on.
bool wait_for_mbarrier(std::uintptr_t at, WantedPhase wanted, Wait how, bool acquires,
                       const void* code);

}  // namespace kata::emulator
