// A 32 x 32 tile is transposed in shared memory, so global memory is read and written by rows.
//
// Each warp-wide load and store now touches 4 sectors, as in a copy. The cost moves to shared
// memory, where a warp reads a column: 32 words that are 32 apart lie in one bank, and the request
// takes 32 wavefronts instead of 1. That makes it slower than rung 2; rung 4 removes the conflicts.
//
// Prediction: a tile takes 32 wavefronts to write and 1024 to read. 8192 x 8192 is 496 tiles per
// SM: 0.26 ms at one wavefront per clock and 1.98 GHz, where a copy takes 0.13 ms. Shared memory
// is the limit. Missed by a factor of 2: with two blocks per SM, conflicts and latency hardly
// overlap.
// Measured: 520.4 us at 8192x8192, 24 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

constexpr int TILE = 32;  // block side; gridDim.y is at most 65535, so rows is at most 2 million

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[TILE][TILE];
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
