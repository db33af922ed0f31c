#pragma once
// How long launches would take on a chip that is not there, from what the emulator saw of them. How
// it comes about, how good it is and where it ends: docs/estimate.md.

#include <string>
#include <vector>

#include "problems/spec/problem.h"
#include "report/profile.h"
#include "report/report.h"
#include "timing/chip.h"

namespace kata {

/// What one launch would take for each thing that may limit it, in seconds, each as if it were the
/// only one. Whole launches, not the blocks that were profiled.
struct Limiters {
  double memory = 0;      ///< device memory
  double l2 = 0;          ///< from the L2 to the multiprocessors and back
  double l1 = 0;          ///< wavefronts of shared memory, lines of the L1: one a clock
  double issue = 0;       ///< instructions: four a clock
  double arithmetic = 0;  ///< operations that tensor cores do not do
  double tensor = 0;      ///< those that they do
  double latency = 0;     ///< steps that wait for each other, and blocks for a place
  double atomics = 0;     ///< on one address
  double alone = 0;       ///< stores of tiles, which no other limiter overlaps
};

struct LaunchEstimate {
  Limiters limiters;
  double read_bytes = 0, written_bytes = 0;  ///< from and to device memory
  double occupancy = 0;    ///< threads resident, of the threads that there is room for
  unsigned registers = 0;  ///< of a thread, that it follows from; 0: assumed
};

/// What earlier launches of the same call left in the L2.
class L2Contents {
 public:
  explicit L2Contents(double capacity_bytes) : capacity_(capacity_bytes) {}

  /// Bytes of `bytes` of that buffer that are there still. Between one and two capacities after it
  /// was touched a buffer fades: the L2 does not evict strictly what is oldest.
  double found(std::uint64_t buffer, double bytes) const;
  /// A launch has touched these buffers, `bytes` in all.
  void touch(const std::vector<Touched>& touched, double bytes);

 private:
  struct Entry {
    std::uint64_t buffer;
    double bytes_since;
  };
  double capacity_;
  std::vector<Entry> entries_;
};

/// `operations`: of the launch, those of tensor cores left out.
LaunchEstimate estimate_launch(const LaunchProfile& profile, double operations, const Chip& chip,
                               L2Contents& l2);

/// The larger a limiter, the more it counts: the p-norm of those that overlap, with p = `norm`, and
/// what does not overlap. Seconds.
double combined(const Limiters& limiters, double norm);

/// "device memory", "shared memory", ...: the largest.
std::string largest(const Limiters& limiters);

/// The launches of a call, one after the other; fills of memory, which no kernel does, left out.
std::vector<LaunchEstimate> estimate_launches(const std::vector<LaunchProfile>& launches,
                                              const Cost& cost, const Chip& chip);

/// A fill of memory: cudaMemset and the like.
bool is_fill(const LaunchProfile& profile);

/// A call with all its launches. `cost` is the problem's at that size.
Estimate estimate(const std::vector<LaunchProfile>& launches, const Cost& cost, const Chip& chip);

}  // namespace kata
