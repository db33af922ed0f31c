#pragma once
// One tile of rung 7: each of its output rows begins at that row's own sector boundary.

#include <stdint.h>

constexpr int THREADS = 256;
constexpr int SECTOR = 8;  // floats
constexpr int WARPS = THREADS / 32;
static_assert(WARPS % SECTOR == 0, "all output rows of a thread have the same sector offset");

// Transposes one tile; TR x TC of its elements are written. INSIDE: the tile lies in the matrix.
template <int TR, int TC, bool INSIDE>
__device__ void transpose_tile(const float* in, float* out, int rows, int cols, int row0, int col0,
                               float (*tile)[TC + 1]) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const float* from = in + static_cast<int64_t>(row0 + warp) * cols + col0 + lane;
#pragma unroll
  for (int i = warp; i < warp + TR + SECTOR; i += WARPS) {
#pragma unroll
    for (int j = 0; j < TC; j += 32) {
      if (INSIDE || (row0 + i >= 0 && row0 + i < rows && col0 + lane + j < cols)) {
        tile[i][lane + j] = from[j];
      }
    }
    from += static_cast<int64_t>(WARPS) * cols;
  }
  __syncthreads();

  float* to = out + static_cast<int64_t>(col0 + warp) * rows + row0;
  const int boundary = -static_cast<int>(reinterpret_cast<uintptr_t>(to) / sizeof(float)) & 7;
  const int first = boundary + lane;  // row of the tile
  to += first;
#pragma unroll
  for (int j = warp; j < warp + TC; j += WARPS) {
#pragma unroll
    for (int i = 0; i < TR; i += 32) {
      const int row = row0 + first + i;
      if (INSIDE || (row >= 0 && row < rows && col0 + j < cols)) to[i] = tile[first + i][j];
    }
    to += static_cast<int64_t>(WARPS) * rows;
  }
}
