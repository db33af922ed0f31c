#pragma once
// The slices of ROWS rows that a warp has copied to shared memory (a slice: own_x.h).

#include <cuda_pipeline_primitives.h>

#include "own_x.h"

// ALIGNED: K is a multiple of 1024, so the scales of a slice are 16 aligned bytes. Otherwise they
// stay where they are and are loaded when they are needed.
template <int ROWS, bool ALIGNED>
struct CopiedSlices {
  uint4 words[ROWS][32];
  __half scales[ROWS][8];

  // Starts this lane's copies. Rows past the last one repeat it, and weights past the end of a row
  // repeat the last ones: their x is 0.
  __device__ void copy(const uint4* W4, const __half* scale, int first_row, int first_k, int M,
                       int K) {
    const int lane = threadIdx.x % 32;
    const int k = min(first_k + 32 * lane, K - 32);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const size_t row = min(first_row + r, M - 1);
      __pipeline_memcpy_async(&words[r][lane], W4 + (row * K + k) / 32, 16);
    }
    if (ALIGNED && lane < ROWS) {
      const size_t row = min(first_row + lane, M - 1);
      const int k_inside = min(first_k, K - SLICE);
      __pipeline_memcpy_async(scales[lane], scale + (row * K + k_inside) / 128, 16);
    }
  }

  // Of this lane's group in row r; the arguments as for copy().
  __device__ float scale_of(int r, const __half* scale, int first_row, int first_k, int M,
                            int K) const {
    const int lane = threadIdx.x % 32;
    if (ALIGNED) return __half2float(scales[r][lane / 4]);
    const size_t row = min(first_row + r, M - 1);
    return __half2float(scale[(row * K + min(first_k + 32 * lane, K - 32)) / 128]);
  }
};
