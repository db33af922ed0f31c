#pragma once
// What the requests of a launch cost, by the memory instruction that made them.

#include <compare>
#include <cstdint>
#include <limits>
#include <map>

#include "emulator/runtime/count/counts.h"
#include "emulator/runtime/count/wavefronts.h"

namespace kata::emulator {

/// A memory instruction of the candidate.
struct Instruction {
  const void* code = nullptr;  ///< the address behind it
  AccessKind kind{};
  unsigned log2_width = 0;  ///< of what each lane asks for, in bytes
  unsigned copy = 0;        ///< which one, of a loop that nvcc unrolls; from 1

  auto operator<=>(const Instruction&) const = default;
};

/// The requests of warps at one instruction.
class InstructionCount {
 public:
  std::uint64_t requests = 0;      ///< of a predicate: those that switch off every lane
  std::uint64_t switched_off = 0;  ///< of these: in all lanes
  Instruction predicate = {};      ///< that switches lanes off for this one; without code: none
  std::uint64_t accesses = 0;      ///< by lanes
  std::uint64_t needed = 0;        ///< sectors, wavefronts or turns
  std::uint64_t fewest = 0;
  std::uint64_t apart = 0, apart_needed = 0;  ///< requests that a profiler counts apart, and theirs
  std::uint64_t lines = 0;                    ///< of 128 bytes; global only
  std::uint64_t atomic_sectors = 0;
  std::uint64_t low = std::numeric_limits<std::uint64_t>::max();  ///< first sector; global only
  std::uint64_t high = 0;                                         ///< last sector

  /// `order` is the block's, in the schedule.
  void add(const Request& request, const Transfers& transfers, std::uint64_t order);
  void merge(const InstructionCount& other);
  /// Of a request that was added: by an asynchronous copy, ldmatrix or stmatrix.
  void set_apart(const Transfers& transfers) {
    ++apart;
    apart_needed += transfers.needed;
  }
  void add_switched_off(std::uint64_t more) {
    requests += more;
    switched_off += more;
  }
  /// As many as `all` blocks would have made, where `counted` made these.
  void scale(std::uint64_t all, std::uint64_t counted);

  /// Of all requests the one that moves most beyond the fewest; of equals the first block's.
  const Request& worst() const { return worst_; }
  const Transfers& worst_transfers() const { return worst_transfers_; }

 private:
  void take_worst(const Request& request, const Transfers& transfers, std::uint64_t cost,
                  std::uint64_t order);

  Request worst_;
  Transfers worst_transfers_;
  std::uint64_t worst_cost_ = 0;
  std::uint64_t worst_order_ = 0;
};

using InstructionCounts = std::map<Instruction, InstructionCount>;

/// nvcc puts so many loads, switched off in all lanes, before the asynchronous copies of a basic
/// block.
inline constexpr unsigned loads_before_copies = 3;

/// A device counts shared instructions also where a predicate switches off every lane: adds these,
/// and takes the predicates out.
void count_switched_off(InstructionCounts& counts);

}  // namespace kata::emulator
