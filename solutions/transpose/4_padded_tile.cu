// A column of padding: each row of the tile is 33 words, so a column's words lie in 32 banks.
//
// Word (y, x) is in bank (33 y + x) % 32 = (y + x) % 32. The banks differ for all y of a column
// and for all x of a row. The padding takes 32 words, 3 % of the tile. The rung to reach in 30
// minutes.
//
// Prediction: 1 wavefront per request, 64 per tile instead of 1056. At 8192 x 8192 that is 16 us
// per SM and no longer the limit: 0.13 ms, the time of a copy. Missed: only two blocks fit on an
// SM, and each waits for its loads at the barrier. At most 8 KB are in flight, and memory needs
// 11.
// Measured: 297.8 us at 8192x8192, 42 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

constexpr int TILE = 32;  // block side; gridDim.y is at most 65535, so rows is at most 2 million

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[TILE][TILE + 1];  // + 1: no two words of a column share a bank
  const int x = threadIdx.x;
  const int y = threadIdx.y;

  const int row = blockIdx.y * TILE + y;
  const int col = blockIdx.x * TILE + x;
  if (row < rows && col < cols) tile[y][x] = in[static_cast<size_t>(row) * cols + col];
  __syncthreads();  // outside the if: every thread must reach it

  // In the output the block indices are swapped; the thread indices are not.
  const int out_row = blockIdx.x * TILE + y;
  const int out_col = blockIdx.y * TILE + x;
  if (out_row < cols && out_col < rows) {
    out[static_cast<size_t>(out_row) * rows + out_col] = tile[x][y];
  }
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const dim3 block(TILE, TILE);
  const dim3 grid(kata::ceil_div(cols, TILE), kata::ceil_div(rows, TILE));
  transpose_kernel<<<grid, block>>>(in, out, rows, cols);
}
