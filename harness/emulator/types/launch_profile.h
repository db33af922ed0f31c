#pragma once
// What an estimate of time needs to know of a launch beyond its counters (Options::profile).
// Measured on some of the launch's blocks where all would take too long.

#include <cstdint>
#include <vector>

#include "emulator/types/kernel_record.h"

namespace kata::emulator {

/// Dependent steps, one after the other: what a thread waits for. Loads that do not wait for each
/// other are one step.
struct Steps {
  double far_loads = 0;     ///< of device memory that the block has not read lately
  double near_loads = 0;    ///< of device memory that it has
  double hidden_loads = 0;  ///< far or near, with reads of shared memory before they are used
  double shared_loads = 0;
  double warp_operations = 0;
  double barriers = 0;
  double atomics = 0;  ///< whose old value is waited for
  double mma = 0,
         wgmma = 0;  ///< multiply-adds of a warp's mma.sync and wmma, of a warpgroup's wgmma
};

/// Multiply-adds of tensor cores, by what they multiply.
struct MatrixWork {
  std::uint64_t f16 = 0, bf16 = 0, tf32 = 0, f8 = 0, i8 = 0;

  std::uint64_t total() const { return f16 + bf16 + tf32 + f8 + i8; }
};

/// A buffer of device memory and how much of it the blocks touched: distinct sectors of 32 bytes of
/// each block, added up.
struct Touched {
  std::uint64_t buffer = 0;  ///< its address: the same in all launches
  std::uint64_t bytes = 0;   ///< its size
  std::uint64_t read_sectors = 0, written_sectors = 0;
};

struct LaunchProfile {
  KernelRecord counts = {};      ///< of the blocks that ran
  unsigned registers = 0;        ///< of a thread; 0: unknown
  std::uint64_t blocks_run = 0;  ///< of the grid's
  Steps steps = {};              ///< of each block's longest chain, added up
  Steps longest = {};            ///< of the longest of these chains

  std::uint64_t lines = 0;  ///< distinct lines of 128 bytes of each global request, added up
  /// Loads of device memory by single lanes: re_reads[i] of a sector that the block touched less
  /// than 2^i of a thread's accesses before; first_reads of one that it had not touched.
  std::vector<std::uint64_t> re_reads;
  std::uint64_t first_reads = 0;
  std::uint64_t thread_accesses = 0;  ///< most global accesses of one thread, block by block
  std::vector<Touched> touched;

  /// By single lanes, into shared memory: each counts as a load and a store, and is one
  /// instruction.
  std::uint64_t async_copies = 0;

  /// Sectors of device memory that bulk copies (TMA) read and write: they go past the L1.
  std::uint64_t bulk_sectors = 0;

  MatrixWork mma, wgmma;                  ///< by mma.sync and wmma; by wgmma
  std::uint64_t matrix_instructions = 0;  ///< of warps: mma.sync and wmma

  std::uint64_t shared_atomic_turns = 0;    ///< of requests, one for each lane at one address
  std::uint64_t global_atomic_sectors = 0;  ///< distinct sectors of each request, added up
  /// Atomics on the address of device memory that has the most of them.
  std::uint64_t hottest_atomics = 0;
  bool hottest_is_shared = false;  ///< that address is used by more than one block
  bool hottest_adds_floats = false;
};

}  // namespace kata::emulator
