#pragma once
// What one kernel launch did: its configuration and its counters, also by source line and buffer.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace kata::emulator {

/// One request of a warp: the one that moves most beyond its ideal, of all at a source line.
struct WorstRequest {
  unsigned lanes = 0;        ///< that took part; 0: there was no request
  unsigned needed = 0;       ///< sectors, wavefronts or an atomic's turns
  unsigned ideal = 0;        ///< the fewest of them that the same bytes need
  std::int64_t stride = 0;   ///< bytes from lane to lane; 0 where they differ, or are none
  std::string pattern = {};  ///< "lanes 0-31 read A[...] with a stride of 512 bytes"
};

/// Memory accesses by one kind of instruction, of one launch or one source line of it. `accesses`
/// counts lanes and `bytes` what they asked for; the rest is of whole warps, and 0 where requests
/// were not counted.
struct AccessCount {
  std::uint64_t accesses = 0;
  std::uint64_t bytes = 0;
  std::uint64_t requests = 0;      ///< instructions of a warp
  std::uint64_t switched_off = 0;  ///< of these: by a predicate, in all lanes
  /// Of shared memory: of these, and of the wavefronts, those of asynchronous copies and of
  /// ldmatrix and stmatrix. A profiler counts them apart (LDGSTS, LDSM, STSM).
  std::uint64_t apart = 0, apart_wavefronts = 0;
  std::uint64_t sectors = 0, ideal_sectors = 0;  ///< of global memory, 32 bytes each
  std::uint64_t wavefronts = 0;                  ///< of shared memory
  std::uint64_t conflicts = 0;                   ///< wavefronts beyond the fewest
  std::uint64_t turns = 0;                       ///< atomics: lanes at one address take turns
  WorstRequest worst = {};

  std::uint64_t requests_with_lanes() const { return requests - switched_off; }
  /// Lanes that take part in such a request, on average.
  double active_lanes() const {
    const auto made = static_cast<double>(requests_with_lanes());
    return made > 0 ? static_cast<double>(accesses) / made : 0;
  }
};

/// What one line of the candidate asks of memory. Code of the emulator's CUDA headers belongs
/// to the line that calls it.
struct LineRecord {
  std::string file = {};  ///< empty, and line 0, where the compiler kept no line
  int line = 0;
  AccessCount global_load{}, global_store{}, shared_load{}, shared_store{}, atomic{};
};

/// What a line reads of a buffer.
struct BufferRead {
  std::string file = {};
  int line = 0;
  std::uint64_t sectors = 0, ideal_sectors = 0;  ///< ideal: of all its requests as if of one
};

/// A buffer of device memory in one launch.
struct BufferRecord {
  std::string name;         ///< "A", or "the buffer allocated in line 12"
  std::uint64_t bytes = 0;  ///< from the first to the last sector that the launch touches
  std::uint64_t load_sectors = 0, store_sectors = 0;
  std::vector<BufferRead> reads = {};  ///< by file and line
};

/// One kernel launch of the counted case, as the emulator saw it; of a whole program, all launches
/// of a kernel, with the grid and block of the first. `lines` and `buffers` are empty where
/// requests were not counted.
struct KernelRecord {
  std::string name;
  std::uint64_t launches = 1;          ///< that this stands for
  std::uint64_t counted_launches = 0;  ///< the first of these, with requests; counts are their sums
  /// Of the first launch: those with requests, which were scaled where they are fewer than the
  /// grid.
  std::uint64_t counted_blocks = 0;
  bool of_machine_code = false;       ///< the requests are those that nvcc's machine code makes
  std::string by_rules = {};          ///< why they are not, where nvcc has made some
  std::uint64_t unmarked_blocks = 0;  ///< of all launches: not looked at for races
  std::array<unsigned, 3> grid{};
  std::array<unsigned, 3> block{};
  std::uint64_t shared_bytes = 0;  ///< static and dynamic
  AccessCount global_load{}, global_store{}, shared_load{}, shared_store{}, atomic{};
  std::uint64_t barriers = 0;  ///< __syncthreads passed, counted once per block
  /// A block has looked at what another one had written: how often depends on the schedule.
  bool blocks_wait = false;
  std::vector<LineRecord> lines = {};  ///< by file and line
  std::vector<BufferRecord> buffers = {};

  /// Of the grid.
  std::uint64_t blocks() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
  /// Lanes that take part in a memory request with lanes, on average; 0 where requests were not
  /// counted.
  double active_lanes() const {
    std::uint64_t lanes = 0, requests = 0;
    for (const AccessCount* count :
         {&global_load, &global_store, &shared_load, &shared_store, &atomic}) {
      lanes += count->requests ? count->accesses : 0;
      requests += count->requests_with_lanes();
    }
    return requests ? static_cast<double>(lanes) / static_cast<double>(requests) : 0;
  }
};

}  // namespace kata::emulator
