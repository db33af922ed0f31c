#pragma once
// The GPU's ceilings, measured as the contestants are, and random numbers made on the GPU: both are
// in timing/ceilings.cu, a module that is loaded like a candidate.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <filesystem>

#include "support/result.h"
#include "timing/limit.h"
#include "worker/gpu/cuda_memory.h"
#include "worker/gpu/measure.h"

namespace kata {

/// The entry points of timing/ceilings.cu; their counts are multiples of `granule` floats.
struct CeilingKernels {
  static constexpr long long granule = 8192;

  void (*fill)(float* x, long long count, unsigned seed);
  void (*copy)(const float* from, float* to, long long count);
  void (*stream)(const float* from, float* to, long long count);
  void (*read)(const float* from, float* sink, long long count);
  double (*ffma)(float* sink, int blocks);
};

Result<CeilingKernels> load_ceiling_kernels(const std::filesystem::path& module);

/// One allocation for the whole job: the copy's source and target; the L2's flush writes into the
/// target. 4 GiB, or a quarter of the free memory if that is less.
struct Scratch {
  DeviceFloats memory;
  long long floats = 0;

  float* source() const { return memory.get(); }
  float* target() const { return memory.get() + floats / 2; }
  L2Flush l2_flush(const cudaDeviceProp& device) const;
};

Result<Scratch> allocate_scratch();

/// The copy's rate is that of the fastest of three: one float4 per thread, several in flight, and
/// cudaMemcpy. No L2 flush: what the cache holds is a percent of what they move, and the lines that
/// a flush leaves behind would be written back on their time.
Result<Ceilings> measure_ceilings(const CeilingKernels& kernels, const Scratch& scratch,
                                  const cudaDeviceProp& device, const Turn& turn);

}  // namespace kata
