// A grid of one wave: each thread strides through the vector, with four float4 in flight.
//
// Rung 4 starts 65536 blocks at 2^26, and each thread handles one float4. Here 8 blocks per SM
// start once, and each thread goes on by the width of the whole grid. So the grid follows the GPU
// instead of n.
//
// Prediction: 8 bytes per element and 128 KB in flight per SM, where 23 KB are enough. Memory was
// the limit before: no gain at 2^26, 125 us. Starting blocks is cheap for a kernel without
// barriers; reductions, which wait at the end of each block, gain. Missed: 10 % slower than rung 4,
// as in add.
// Measured: 139.6 us at 67108864, 91 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/aligned.h"
#include "../common/grid_size.h"

constexpr int THREADS = 256;
constexpr int BLOCKS_PER_SM = 8;  // 2048 threads, with 32 registers each
constexpr int UNROLL = 4;

__device__ float sigmoid_of(float x) {
  return __fdividef(1.0f, 1.0f + __expf(-x));
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    sigmoid_kernel(const float* x, float* y, int n, int count4) {
  const float4* x4 = reinterpret_cast<const float4*>(x);
  float4* y4 = reinterpret_cast<float4*>(y);
  const int stride4 = gridDim.x * THREADS * UNROLL;
  for (int first = blockIdx.x * THREADS * UNROLL + threadIdx.x; first < count4; first += stride4) {
    float4 v[UNROLL];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) {
      const int i = first + k * THREADS;
      if (i < count4) v[k] = x4[i];
    }
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) {
      const int i = first + k * THREADS;
      if (i < count4) {
        y4[i] = make_float4(sigmoid_of(v[k].x), sigmoid_of(v[k].y), sigmoid_of(v[k].z), sigmoid_of(v[k].w));
      }
    }
  }

  const int stride = gridDim.x * THREADS;
  for (int i = 4 * count4 + blockIdx.x * THREADS + threadIdx.x; i < n; i += stride) {
    y[i] = sigmoid_of(x[i]);
  }
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  const int count4 = is_aligned16(x) && is_aligned16(y) ? n / 4 : 0;
  const int grid = one_wave(kata::ceil_div(n, 4 * THREADS * UNROLL), BLOCKS_PER_SM);
  sigmoid_kernel<<<grid, THREADS>>>(x, y, n, count4);
}
