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
  std::array<unsigned, 3> grid{}, block{};
  std::size_t shared_bytes = 0;            ///< static and dynamic
  std::vector<std::byte> parameters = {};  ///< one behind the other, as a device lays them out
};

/// Where shared memory begins, behind what the system keeps for itself.
inline constexpr unsigned shared_low = 0x400;

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
  void count_matrices(const Context& it, unsigned matrices, const WideLanes& rows);
};

std::uint32_t constant(const Warp& warp, unsigned bank, unsigned offset);

/// Runs all of its blocks, or, where they have much to do, some of them. How many. Throws
/// Unsupported.
std::uint64_t run_some_blocks(Launch& launch, std::uint64_t blocks, bool wait_for_each_other);

/// What an instruction does.
using Execute = void (*)(const Context&);
/// By the 9 bits of an opcode; null if this has none. Control flow is left to the block.
Execute execution(unsigned opcode);

using Table = std::map<unsigned, Execute>;
const Table& integer_operations();
const Table& float_operations();
const Table& half_operations();
const Table& warp_operations();
const Table& memory_operations();
const Table& matrix_operations();

}  // namespace kata::emulator::machine
