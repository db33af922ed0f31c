#pragma once
// Asynchronous copies of rows to a RegisterTile: cp.async writes to shared memory without registers.

#include <cuda_pipeline_primitives.h>

#include "register_tile.h"

// Starts to copy BN rows of x[n, d] from row `first` on; zeros past the ends. The copies since the
// last call are one group.
template <class T>
__device__ void copy_rows(float* to, const float* x, int first, int n, int d) {
  const int width = d % 4 == 0 ? 4 : 1;  // floats in one copy
  const int per_row = T::D / width;
  for (int i = threadIdx.x; i < T::BN * per_row; i += T::THREADS) {
    const int row = first + i / per_row, col = i % per_row * width;
    const bool in_bounds = row < n && col < d;
    const float* from = in_bounds ? x + static_cast<size_t>(row) * d + col : x;
    float* at = to + i / per_row * T::PITCH + col;
    if (width == 4) {
      __pipeline_memcpy_async(at, from, 16, in_bounds ? 0 : 16);  // the last number: bytes of zeros
    } else {
      __pipeline_memcpy_async(at, from, 4, in_bounds ? 0 : 4);
    }
  }
  __pipeline_commit();
}
