// Writes fill whole sectors for any shape.
//
// If rows is not a multiple of 8, the output rows of a tile begin and end inside sectors, and two
// blocks write parts of each. Now a block starts each output row at that row's own sector
// boundary, up to 7 elements later. So the tile holds 8 more rows than it writes. Matrices whose
// sides are multiples of 4 take the kernel of rung 6.
//
// Prediction: at 4095 x 8191 rung 6 splits 2 of 9 sectors. Without split sectors the time falls
// towards the 67 us of a copy, but 72 rows are read, through L2, for 64 written: 75 us.
// Measured: 74.9 us at 4095x8191, 86 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include <stdint.h>

#include "../common/aligned.h"
#include "by_four.h"

constexpr int THREADS = 256;
constexpr int TR = 64;  // rows and columns of the tile that are written
constexpr int TC = 64;
constexpr int SECTOR = 8;  // floats
constexpr int WARPS = THREADS / 32;
static_assert(WARPS % SECTOR == 0, "all output rows of a thread have the same sector offset");

// Transposes one tile; TR x TC of its elements are written. INSIDE: the tile lies in the matrix.
template <bool INSIDE>
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

// Any rows and cols. The first tile starts 8 rows above the matrix, so that shifted pieces cover
// row 0.
__global__ void __launch_bounds__(THREADS)
    transpose_any_kernel(const float* in, float* out, int rows, int cols, int tiles_across) {
  __shared__ float tile[TR + SECTOR][TC + 1];
  const int row0 = blockIdx.x / tiles_across * TR - SECTOR;
  const int col0 = blockIdx.x % tiles_across * TC;
  if (row0 >= 0 && row0 + TR + SECTOR <= rows && col0 + TC <= cols) {
    transpose_tile<true>(in, out, rows, cols, row0, col0, tile);
  } else {
    transpose_tile<false>(in, out, rows, cols, row0, col0, tile);
  }
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  if (rows % 4 == 0 && cols % 4 == 0 && is_aligned16(in) && is_aligned16(out)) {
    transpose_by_four<false>(in, out, rows, cols);
  } else {
    const int tiles_down = kata::ceil_div(rows + SECTOR, TR);
    const int tiles_across = kata::ceil_div(cols, TC);
    transpose_any_kernel<<<tiles_down * tiles_across, THREADS>>>(in, out, rows, cols, tiles_across);
  }
}
