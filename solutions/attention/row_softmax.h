#pragma once
// The softmax of one row, by one warp, in place; and a warp's maximum and sum in all of its lanes.

#include <cuda_runtime.h>
#include <math_constants.h>

__device__ inline float warp_max_all(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, offset));
  }
  return value;
}

__device__ inline float warp_sum_all(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  return value;
}

// `row` has n >= 1 scores, in shared or in device memory. All 32 lanes call it.
__device__ inline void row_softmax(float* row, int n) {
  const int lane = threadIdx.x % 32;
  float max = -CUDART_INF_F;
  for (int i = lane; i < n; i += 32) max = fmaxf(max, row[i]);
  max = warp_max_all(max);
  float sum = 0.0f;
  for (int i = lane; i < n; i += 32) {
    const float e = __expf(row[i] - max);
    row[i] = e;
    sum += e;
  }
  sum = warp_sum_all(sum);
  for (int i = lane; i < n; i += 32) row[i] /= sum;
}
