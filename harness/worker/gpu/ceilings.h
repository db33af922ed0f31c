#pragma once
// What the GPU can reach at best, measured as the candidates are, and random numbers made on the
// GPU: both are in timing/ceilings.cu, a module that is loaded like a candidate.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <vector>

#include "problems/spec/problem.h"
#include "support/result.h"
#include "timing/limit.h"
#include "timing/true_time.h"
#include "worker/gpu/cuda_memory.h"
#include "worker/gpu/measure.h"
#include "worker/gpu/peers.h"

namespace kata {

/// The entry points of timing/ceilings.cu; their counts are multiples of `granule` floats.
struct CeilingKernels {
  static constexpr long long granule = 8192;

  void (*fill)(float* x, long long count, unsigned seed);
  void (*copy)(const float* from, float* to, long long count, cudaStream_t stream);
  void (*read)(const float* from, float* sink, long long count);
  void (*read_streaming)(const float* from, float* sink, long long count);
  double (*ffma)(float* sink, int blocks);
  double (*tensor_f16)(float* sink, int multiprocessors);
  double (*tensor_bf16)(float* sink, int multiprocessors);
  double (*tensor_f8)(float* sink, int multiprocessors);
  double (*tensor_i8)(float* sink, int multiprocessors);
  void (*occupy)(int blocks);
  Gate::Kernel gate;

  void (*gather)(const unsigned* pool, long long pool_words, unsigned* to, long long words,
                 unsigned long long seed);
  void (*mix)(const void* a, const void* b, void* to, long long bytes, long long row_bytes,
              unsigned long long seed);
  using Scale = void (*)(const void* from, void* to, long long count, float factor);
  Scale scale_f32, scale_f16, scale_bf16;
  void (*pick)(const void* from, void* to, long long count, int element_bytes, int picks,
               unsigned long long seed);

  /// Of a type of floats that has more than a byte.
  Scale scale(Type type) const {
    return type == Type::f32 ? scale_f32 : type == Type::f16 ? scale_f16 : scale_bf16;
  }
};

Result<CeilingKernels> load_ceiling_kernels(const std::filesystem::path& module);

/// Fills the GPU for about a millisecond, on a stream that neither waits for others nor makes them
/// wait: kernels that are launched next find no room until then. Empty without that module.
std::function<void()> occupier(const std::filesystem::path& ceilings_module,
                               const cudaDeviceProp& device);

/// Device memory for the whole job: what the copy reads and writes, 4 GiB, or a quarter of the free
/// memory if that is less; and what the flush of the L2 reads, which nothing else touches.
struct Scratch {
  DeviceArray<float> memory;
  long long floats = 0;
  DeviceArray<float> flushing;
  long long flushing_floats = 0;  ///< twice the L2's size

  float* source() const { return memory.get(); }
  float* target() const { return memory.get() + floats / 2; }
};

Result<Scratch> allocate_scratch(const cudaDeviceProp& device);

/// Reads memory twice the size of the L2, twice: for long enough to enqueue some 20 launches. A
/// flush that writes would leave dirty lines, and their write-back would slow down the kernel that
/// is timed next.
L2Flush l2_flush(const CeilingKernels& kernels, const Scratch& scratch);

/// How fast that unit computes on operands near it. Of FP32 multiply-adds, where this GPU has no
/// such tensor cores.
Result<ArithmeticRate> measure_arithmetic(ArithmeticUnit unit, const CeilingKernels& kernels,
                                          const Scratch& scratch, const cudaDeviceProp& device,
                                          const Turn& turn);

/// What this GPU cannot exceed, beside that rate.
Peak peak_of(const cudaDeviceProp& device, const ArithmeticRate& arithmetic);

/// Kernels that move the bytes of `cost` and nothing else: as a copy, by a kernel and by
/// cudaMemcpy, or as reading alone, with and without a hint to forget.
std::vector<Timed> memory_kernels(const Cost& cost, const CeilingKernels& kernels,
                                  const Scratch& scratch);

/// Kernels and copies that bring `link_bytes` to each of several devices from its neighbour, all at
/// the same time. The scratch memory and the streams are the devices'.
std::vector<Timed> link_kernels(const Cost& cost, const CeilingKernels& kernels,
                                const std::vector<Scratch>& scratch,
                                const std::vector<cudaStream_t>& streams);

/// The samples of the fastest, none if all failed. What does not fit into the scratch memory was
/// moved in part, and counts as that much longer.
std::vector<double> memory_samples(const std::vector<Timed>& movers, const Cost& cost,
                                   const Scratch& scratch);

}  // namespace kata
