// A grid of one wave: each thread strides through x with four float4 in flight.
//
// With 2048 elements per block, 2^24 elements are 8192 blocks. Each waits for its load, its
// shuffles and its barrier before the next block takes its place. A grid of one wave pays for this
// once: 528 blocks on 132 SMs.
//
// Prediction: 2048 threads with 64 bytes each have 128 KB in flight per SM, where 23 KB are
// enough. Memory is the limit: 245 us at 2^28 and 4379 GB/s. 528 atomics take 0.3 us.
// Measured: 235.3 us at 268435456, 99 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include <math.h>

#include "../common/aligned.h"
#include "../common/grid_size.h"
#include "atomic_max.h"
#include "block_max.h"

constexpr int THREADS = 512;
constexpr int BLOCKS_PER_SM = 4;  // 2048 threads, with 32 registers each
constexpr int UNROLL = 4;

// The maximum of this thread's elements: float4 with UNROLL loads in flight, then the tail.
__device__ float thread_max(const float* x, int n, int count4) {
  const float4* x4 = reinterpret_cast<const float4*>(x);
  const int tid = threadIdx.x;
  const int stride4 = gridDim.x * THREADS * UNROLL;
  float value = -INFINITY;
  for (int first = blockIdx.x * THREADS * UNROLL + tid; first < count4; first += stride4) {
    float4 v[UNROLL];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) {
      const int i = first + k * THREADS;
      v[k] = i < count4 ? x4[i] : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
    }
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) value = fmaxf(value, max_of(v[k]));
  }

  const int stride = gridDim.x * THREADS;
  for (int i = 4 * count4 + blockIdx.x * THREADS + tid; i < n; i += stride) {
    value = fmaxf(value, x[i]);
  }
  return value;
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    reduce_max_kernel(const float* x, float* max, int n, int count4) {
  const float result = block_max<THREADS>(thread_max(x, n, count4));
  if (threadIdx.x == 0) atomic_max(max, result);
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  const int count4 = is_aligned16(x) ? n / 4 : 0;
  const int needed = kata::ceil_div(n, 4 * THREADS * UNROLL);
  const int grid = one_wave(needed, BLOCKS_PER_SM);
  start_kernel<<<1, 1>>>(max);
  reduce_max_kernel<<<grid, THREADS>>>(x, max, n, count4);
}
