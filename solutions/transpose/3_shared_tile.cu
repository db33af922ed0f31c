// A 32 x 32 tile is turned in shared memory: device memory is read by rows and written by rows.
//
// Prediction: 4 sectors for each load and each store of a warp, those of a copy. The price is paid
// in shared memory, where a warp reads a column: its 32 words are 32 apart, all in one bank, so the
// request takes 32 wavefronts where 1 would do. A tile costs 32 wavefronts to write and 32 x 32 =
// 1024 to read, for 8 KiB moved. 8192 x 8192 is 65536 tiles, 496 to an SM: 496 x 1056 wavefronts at
// one a clock are 0.26 ms at 1.98 GHz; the copy alone is 0.13 ms. So shared memory is the limit.
// Measured: 531.9 us at 8192x8192, 24 % of the limit (H200, 2026-11-22)
#include <kata/kata.h>

constexpr int TILE = 32;  // block side: gridDim.y is at most 65535, so rows at most 2 million

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[TILE][TILE];
  const int x = threadIdx.x;
  const int y = threadIdx.y;

  const int row = blockIdx.y * TILE + y;
  const int col = blockIdx.x * TILE + x;
  if (row < rows && col < cols) tile[y][x] = in[static_cast<size_t>(row) * cols + col];
  __syncthreads();  // outside the if: every thread must come here

  // The tile's place in the output: block indices swapped, thread indices not.
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
