// Writes fill whole sectors for any shape.
//
// If rows is not a multiple of 8, the output rows of a tile begin and end inside sectors, and two
// blocks write parts of each. Now a block starts each output row at that row's own sector
// boundary, up to 7 elements later. So the tile holds 8 more rows than it writes. Blocks are
// numbered down the columns: neighbouring pieces of an output row are written one after the other.
//
// Prediction: at 4095 x 8191 rung 6 splits 2 of 9 sectors. Without split sectors the time falls
// towards the 67 us of a copy, but 40 rows are read, through L2, for 32 written: 72 us.
// Measured: 71.0 us at 4095x8191, 91 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include <stdint.h>

#include "../common/aligned.h"

constexpr int TILE = 64;
constexpr int TILE4 = TILE / 4;  // float4 in a row of the tile
constexpr int THREADS = TILE4 * TILE4;

// rows and cols are multiples of 4; both pointers are aligned to 16 bytes. The kernel of rung 6.
__global__ void __launch_bounds__(THREADS)
    transpose_kernel(const float* in, float* out, int rows, int cols, int tiles_down) {
  __shared__ float4 tile[TILE][TILE4];  // transposed: [col of in][row of in / 4]
  const int x = threadIdx.x % TILE4;
  const int y = threadIdx.x / TILE4;
  const int row0 = blockIdx.x % tiles_down * TILE;
  const int col0 = blockIdx.x / tiles_down * TILE;

  const int row = row0 + 4 * y;
  const int col = col0 + 4 * x;
  if (row < rows && col < cols) {
    float4 v[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      v[i] = *reinterpret_cast<const float4*>(&in[static_cast<size_t>(row + i) * cols + col]);
    }
    tile[4 * x + 0][y ^ x] = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
    tile[4 * x + 1][y ^ x] = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
    tile[4 * x + 2][y ^ x] = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
    tile[4 * x + 3][y ^ x] = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
  }
  __syncthreads();

  const int out_col = row0 + 4 * x;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int line = y + i * TILE4;  // row of the transposed tile
    const int out_row = col0 + line;
    if (out_row < cols && out_col < rows) {
      *reinterpret_cast<float4*>(&out[static_cast<size_t>(out_row) * rows + out_col]) =
          tile[line][x ^ (line / 4)];
    }
  }
}

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

// Any rows and cols. The first tile starts 8 rows above the matrix, so that shifted pieces cover
// row 0.
template <int TR, int TC>
__global__ void __launch_bounds__(THREADS)
    transpose_any_kernel(const float* in, float* out, int rows, int cols, int tiles_down) {
  __shared__ float tile[TR + SECTOR][TC + 1];
  const int row0 = blockIdx.x % tiles_down * TR - SECTOR;
  const int col0 = blockIdx.x / tiles_down * TC;
  if (row0 >= 0 && row0 + TR + SECTOR <= rows && col0 + TC <= cols) {
    transpose_tile<TR, TC, true>(in, out, rows, cols, row0, col0, tile);
  } else {
    transpose_tile<TR, TC, false>(in, out, rows, cols, row0, col0, tile);
  }
}

template <int TR, int TC>
void transpose_any(const float* in, float* out, int rows, int cols) {
  const int tiles_down = (rows + SECTOR - 1) / TR + 1;
  const int tiles_across = kata::ceil_div(cols, TC);
  transpose_any_kernel<TR, TC>
      <<<tiles_down * tiles_across, THREADS>>>(in, out, rows, cols, tiles_down);
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  if (rows % 4 == 0 && cols % 4 == 0 && is_aligned16(in) && is_aligned16(out)) {
    const int tiles_down = kata::ceil_div(rows, TILE);
    const int tiles_across = kata::ceil_div(cols, TILE);
    transpose_kernel<<<tiles_down * tiles_across, THREADS>>>(in, out, rows, cols, tiles_down);
  } else if (cols <= 64) {
    transpose_any<128, 32>(in, out, rows, cols);
  } else {
    transpose_any<32, 96>(in, out, rows, cols);  // long rows of the input
  }
}
