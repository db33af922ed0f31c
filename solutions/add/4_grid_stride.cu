// A grid of one wave: each thread strides through the vectors, with two pairs of float4 in flight.
//
// Rung 3 starts 65536 blocks at 2^26, and each thread handles one float4. Here 8 blocks per SM
// start once, and each thread goes on by the width of the whole grid. So the grid follows the GPU
// instead of n.
//
// Prediction: 12 bytes per element and 128 KB in flight per SM, where 23 KB are enough. Memory was
// the limit before: no gain at 2^26, 187 us. Starting blocks is cheap for a kernel without
// barriers; reductions, which wait at the end of each block, gain. Missed: 7 % slower than rung 3.
// A likely cause: blocks that stay drift apart, so reads and writes meet in more pages of DRAM.
// Measured: 197.3 us at 67108864, 96 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/aligned.h"
#include "../common/grid_size.h"

constexpr int THREADS = 256;
constexpr int BLOCKS_PER_SM = 8;  // 2048 threads, with 32 registers each
constexpr int UNROLL = 2;

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    add_kernel(const float* a, const float* b, float* c, int n, int count4) {
  const float4* a4 = reinterpret_cast<const float4*>(a);
  const float4* b4 = reinterpret_cast<const float4*>(b);
  float4* c4 = reinterpret_cast<float4*>(c);
  const int stride4 = gridDim.x * THREADS * UNROLL;
  for (int first = blockIdx.x * THREADS * UNROLL + threadIdx.x; first < count4; first += stride4) {
    float4 x[UNROLL], y[UNROLL];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) {
      const int i = first + k * THREADS;
      if (i < count4) {
        x[k] = a4[i];
        y[k] = b4[i];
      }
    }
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) {
      const int i = first + k * THREADS;
      if (i < count4) {
        c4[i] = make_float4(x[k].x + y[k].x, x[k].y + y[k].y, x[k].z + y[k].z, x[k].w + y[k].w);
      }
    }
  }

  const int stride = gridDim.x * THREADS;
  for (int i = 4 * count4 + blockIdx.x * THREADS + threadIdx.x; i < n; i += stride) {
    c[i] = a[i] + b[i];
  }
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  const int count4 = is_aligned16(a) && is_aligned16(b) && is_aligned16(c) ? n / 4 : 0;
  const int grid = one_wave(kata::ceil_div(n, 4 * THREADS * UNROLL), BLOCKS_PER_SM);
  add_kernel<<<grid, THREADS>>>(a, b, c, n, count4);
}
