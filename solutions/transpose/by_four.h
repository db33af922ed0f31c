#pragma once
// The kernel of rung 6 for matrices whose rows and columns are multiples of 4: 4 x 4 elements per
// thread as float4, transposed in registers, and a 64 x 64 tile with swizzled columns.

#include <kata/kata.h>

constexpr int TILE = 64;
constexpr int TILE4 = TILE / 4;  // float4 in a row of the tile

// Both pointers are aligned to 16 bytes. DOWN: blocks are numbered down the columns of tiles,
// otherwise along the rows.
template <bool DOWN>
__global__ void __launch_bounds__(TILE4 * TILE4)
    transpose_by_four_kernel(const float* in, float* out, int rows, int cols, int tiles) {
  __shared__ float4 tile[TILE][TILE4];  // transposed: [col of in][row of in / 4]
  const int x = threadIdx.x % TILE4;
  const int y = threadIdx.x / TILE4;
  const int row0 = (DOWN ? blockIdx.x % tiles : blockIdx.x / tiles) * TILE;
  const int col0 = (DOWN ? blockIdx.x / tiles : blockIdx.x % tiles) * TILE;

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

template <bool DOWN>
void transpose_by_four(const float* in, float* out, int rows, int cols) {
  const int down = kata::ceil_div(rows, TILE);
  const int across = kata::ceil_div(cols, TILE);
  transpose_by_four_kernel<DOWN>
      <<<down * across, TILE4 * TILE4>>>(in, out, rows, cols, DOWN ? down : across);
}
