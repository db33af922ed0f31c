#pragma once
// The sums of rows whose weights several warps share.

#include <cuda_fp16.h>

#include "../common/block_sum.h"

// Adds up the SUMS partial sums of each row, a warp for each row, and stores them times `factor`.
// All WARPS warps of the block call it.
template <int WARPS, int ROWS, int SUMS>
__device__ void store_rows(const float (&partial)[ROWS][SUMS], __half* y, int first_row, int M,
                           float factor = 1.0f) {
  const int lane = threadIdx.x % 32;
  for (int r = threadIdx.x / 32; r < ROWS; r += WARPS) {
    float sum = 0.0f;
    for (int i = lane; i < SUMS; i += 32) sum += partial[r][i];
    sum = warp_sum(sum);
    if (lane == 0 && first_row + r < M) y[first_row + r] = __float2half(factor * sum);
  }
}
