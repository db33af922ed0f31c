#pragma once
// Rows of any length, one warp each: the kernel of rung 4.

#include <float.h>
#include <kata/kata.h>

#include "row_vectors.h"

template <bool VECTOR>
__global__ void long_rows_kernel(const float* x, float* y, int rows, int cols) {
  constexpr int WIDTH = 4 * 32;
  constexpr int UNROLL = 4;
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;  // the whole warp returns
  const float* row_x = x + static_cast<size_t>(row) * cols;
  float* row_y = y + static_cast<size_t>(row) * cols;

  float lane_max = -FLT_MAX;  // not -infinity: exp(-inf + inf) is NaN
  float lane_sum = 0.0f;
  for (int first = 0; first < cols; first += UNROLL * WIDTH) {
    float4 values[UNROLL];
    float max = lane_max;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) values[u] = load4<32, VECTOR>(row_x, first + u * WIDTH, cols);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) max = fmaxf(max, max_of(values[u]));
    lane_sum *= __expf(lane_max - max);
    lane_max = max;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) lane_sum += sum_of(exponentials(values[u], max));
  }
  const float max = warp_max(lane_max);
  const float scale = 1.0f / warp_sum(lane_sum * __expf(lane_max - max));

  for (int first = 0; first < cols; first += UNROLL * WIDTH) {
    float4 values[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) values[u] = load4<32, VECTOR>(row_x, first + u * WIDTH, cols);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      store4<32, VECTOR>(row_y, scaled(exponentials(values[u], max), scale), first + u * WIDTH,
                         cols);
    }
  }
}
