#pragma once
// A launch of a kernel's machine code, and the counters of its requests.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "emulator/runtime/count/instruction_counts.h"
#include "emulator/runtime/machine/warp.h"

namespace kata::emulator::machine {

/// What the launch looks like to its kernel.
struct Configuration {
  std::array<unsigned, 3> grid{}, block{}, cluster{1, 1, 1};
  std::size_t shared_bytes = 0;            ///< static and dynamic
  std::vector<std::byte> parameters = {};  ///< one behind the other, as a device lays them out
};

/// Shared memory begins behind what the system keeps for itself. Addresses of it are those of all
/// blocks of the cluster: 8 bits of 32 say which; with 64 bits they lie in a window of their own.
inline constexpr unsigned shared_low = 0x400, rank_at = 24, shared_window = 0x40000000;
constexpr std::uint32_t offset_in_shared(std::uint32_t address) {
  return (address & ((1u << rank_at) - 1)) - shared_low;
}
constexpr unsigned rank_in_cluster(std::uint32_t address) {
  return address >> rank_at;
}

struct Launch {
  Launch(const Kernel& of, const Configuration& configured);

  const Kernel& kernel;
  Configuration configuration;
  std::map<unsigned, std::vector<std::byte>> banks;  ///< of constants
  Overlay memory;
  InstructionCounts counts;  ///< `code` is the number of the instruction, from 1
  std::uint64_t steps = 0;   ///< instructions of warps
  std::uint64_t order = 0;   ///< of the block that runs

  /// Of the block that runs.
  void count(const Context& it, AccessKind kind, unsigned log2_width, const WideLanes& addresses);
  void count_copy(const Context& it, unsigned log2_width, bool bypasses, unsigned copying,
                  const WideLanes& from, const WideLanes& to);
  /// Of shared memory, by an instruction for any memory: a profiler counts it apart, and its
  /// wavefronts as any.
  void count_generic(const Context& it, AccessKind global, unsigned log2_width,
                     const WideLanes& offsets);
  void count_matrices(const Context& it, unsigned matrices, const WideLanes& rows);
};

std::uint32_t constant(const Warp& warp, unsigned bank, unsigned offset);

/// Runs all of its blocks, or, where they have much to do, some of them. How many. Throws
/// Unsupported.
std::uint64_t run_some_blocks(Launch& launch, bool wait_for_each_other);

/// False: it has had its turn, or waits for other blocks.
bool run_block(Block& block);

/// What an instruction does.
using Execute = void (*)(const Context&);
/// By the 9 bits of an opcode; null if this has none. Control flow is left to the block.
Execute execution(unsigned opcode);

using Table = std::map<unsigned, Execute>;
const Table& integer_operations();
const Table& bit_operations();
const Table& float_operations();
const Table& half_operations();
const Table& warp_operations();
const Table& memory_operations();
const Table& atomic_operations();
const Table& matrix_operations();

}  // namespace kata::emulator::machine
