// Four float4 in flight per thread, on a grid of one wave.
//
// A load takes some 700 ns. 4.3 TB/s over 132 SMs for 700 ns is 23 KB that an SM must have in
// flight. 1024 threads with four 16-byte loads have 64 KB. All four loads come before the first
// store, because the compiler may not move a load above a store that could alias it. A grid of one
// wave starts its blocks once.
//
// Prediction: 12 bytes per element as before: 49 us at 2^24, now limited by memory instead of
// latency. L2 (60 MiB) may serve part of the second read.
// Measured: 56.3 us at 16777216, 59 % of the limit (H200, 2026-11-24)
#include <kata/kata.h>

#include "../common/grid_size.h"
#include "partial.h"

constexpr int THREADS = 256;
constexpr int BLOCKS_PER_SM = 4;  // 64 registers per thread
constexpr int MAX_BLOCKS = 2048;
constexpr int UNROLL = 4;

__device__ Partial partials[MAX_BLOCKS];  // one per block

// The first count4 float4 of x are vectors. The other elements are read one by one: the tail, or
// all of x if a pointer is not aligned to 16 bytes.
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    partial_kernel(const float* x, int n, int count4) {
  const int tid = threadIdx.x;
  const float4* x4 = reinterpret_cast<const float4*>(x);
  Partial mine = empty_partial();

  const int stride4 = gridDim.x * THREADS * UNROLL;
  for (int first = blockIdx.x * THREADS * UNROLL + tid; first < count4; first += stride4) {
    float4 values[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) values[u] = load4(x4, first + u * THREADS, count4);
    add(mine, values);
  }

  const int stride = gridDim.x * THREADS;
  for (int i = 4 * count4 + blockIdx.x * THREADS + tid; i < n; i += stride) {
    mine = merge(mine, {x[i], 1.0f});
  }
  mine = block_merge<THREADS>(mine);
  if (tid == 0) partials[blockIdx.x] = mine;
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    quotient_kernel(const float* x, float* y, int n, int count4) {
  const int tid = threadIdx.x;
  const float4* x4 = reinterpret_cast<const float4*>(x);
  float4* y4 = reinterpret_cast<float4*>(y);

  const int blocks = gridDim.x;
  Partial mine = empty_partial();
  for (int i = tid; i < blocks; i += THREADS) mine = merge(mine, partials[i]);
  const Partial all = block_merge<THREADS>(mine);
  const float scale = 1.0f / all.sum;

  const int stride4 = gridDim.x * THREADS * UNROLL;
  for (int first = blockIdx.x * THREADS * UNROLL + tid; first < count4; first += stride4) {
    float4 values[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) values[u] = load4(x4, first + u * THREADS, count4);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      const int i = first + u * THREADS;
      if (i < count4) y4[i] = quotients(values[u], all.max, scale);
    }
  }

  const int stride = gridDim.x * THREADS;
  for (int i = 4 * count4 + blockIdx.x * THREADS + tid; i < n; i += stride) {
    y[i] = __expf(x[i] - all.max) * scale;
  }
}

extern "C" void softmax(const float* x, float* y, int n) {
  const int count4 = is_aligned16(x) && is_aligned16(y) ? n / 4 : 0;
  const int needed = kata::ceil_div(n, 4 * THREADS * UNROLL);
  const int grid = min(one_wave(needed, BLOCKS_PER_SM), MAX_BLOCKS);
  partial_kernel<<<grid, THREADS>>>(x, n, count4);
  // The same grid: gridDim.x is the number of partials.
  quotient_kernel<<<grid, THREADS>>>(x, y, n, count4);
}
