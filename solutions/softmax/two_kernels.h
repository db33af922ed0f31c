#pragma once
// Rung 6 as a function: two kernels, which read x twice.

#include <kata/kata.h>

#include "../common/grid_size.h"
#include "partial.h"

namespace two_kernels {

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

inline void launch(const float* x, float* y, int n, int count4) {
  const int needed = kata::ceil_div(n, 4 * THREADS * UNROLL);
  const int grid = min(one_wave(needed, BLOCKS_PER_SM), MAX_BLOCKS);
  partial_kernel<<<grid, THREADS>>>(x, n, count4);
  // The same grid: gridDim.x is the number of partials.
  quotient_kernel<<<grid, THREADS>>>(x, y, n, count4);
}

}  // namespace two_kernels
