#pragma once
// The launches of a kernel, added up.

#include <cstdint>
#include <vector>

#include "report/report.h"

namespace kata {

/// Sectors, wavefronts and turns, which cost about the same: at 4.8 TB/s, 132 SMs and 1.8 GHz an
/// H200 brings an SM 20 bytes of device memory in the clock that a wavefront takes.
std::uint64_t transfers(const AccessCount& count);
std::uint64_t transfers(const KernelRecord& kernel);

/// Of those, the ones beyond the fewest that the same accesses could have needed.
std::uint64_t excess(const AccessCount& count);

void add(AccessCount& sum, const AccessCount& more);

/// Another launch of a kernel: counts and lines are added up, the shape stays that of the first.
void add(KernelRecord& sum, const KernelRecord& more);

/// All launches of one kernel: counts and lines added up, the shape that of the first.
struct KernelSum {
  std::uint64_t launches = 0;
  KernelRecord sum;
};

/// One for each name, in the order of the first launches.
std::vector<KernelSum> by_kernel(const std::vector<KernelRecord>& launches);

}  // namespace kata
