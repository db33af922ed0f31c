// A column of eight outputs per thread: the window of inputs slides down through registers.
//
// For a fixed column of the kernel, the eight outputs are a one-dimensional convolution. For four
// taps of the column a thread needs 11 inputs; it keeps 8 from the step before and loads 4 new ones
// below them (common/sliding_window.h). The taps are stored by columns, so that four of a column
// are one load. Lanes stay next to each other in a row: no bank conflicts, and coalesced stores.
//
// Prediction: 5 loads for 32 products instead of 40, so arithmetic becomes the limit: 32 of about
// 42 instructions are FFMAs. 75 % of the peak, 650 us for 31 x 31, four times rung 3. For 3 x 3
// eight of the loads of a column are the start of the window: the load units stay the limit.
// Measured: 1050.8 us at 4096x4096x31x31, 46 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "../common/sliding_window.h"
#include "tile2d.h"

constexpr int R = 8;  // outputs per thread, one below the other
constexpr int TILE_COLS = 32;
constexpr int BLOCK_ROWS = 8;
constexpr int THREADS = TILE_COLS * BLOCK_ROWS;
constexpr int TILE_ROWS = BLOCK_ROWS * R;
constexpr int MAX_KERNEL = 31;
constexpr int PITCH = 32;  // floats per column of the taps

// Rows of the tile: kernel_rows rounded up to whole steps of four taps more than outputs.
__host__ __device__ constexpr int tile_height(int kernel_rows) {
  return TILE_ROWS + (kernel_rows + 3) / 4 * 4;
}

__global__ void conv2d_kernel(const float* x, const float* w, float* y, int rows, int cols,
                              int kernel_rows, int kernel_cols, int tiles_across) {
  extern __shared__ float tile[];                   // [tile_height][TILE_COLS + kernel_cols - 1]
  __shared__ float4 taps4[MAX_KERNEL * PITCH / 4];  // [kernel_cols][PITCH]
  const int tid = threadIdx.y * TILE_COLS + threadIdx.x;
  const int width = TILE_COLS + kernel_cols - 1;
  const int first_row = blockIdx.x / tiles_across * TILE_ROWS;
  const int first_col = blockIdx.x % tiles_across * TILE_COLS;
  const auto in_taps = [](int r, int c) { return c * PITCH + r; };
  const auto in_tile = [=](int r, int c) { return r * width + c; };
  load_tile(reinterpret_cast<float*>(taps4), in_taps, w, kernel_rows, kernel_cols,
            {0, 0, PITCH, kernel_cols}, tid, THREADS);
  load_tile(tile, in_tile, x, rows, cols, {first_row, first_col, tile_height(kernel_rows), width},
            tid, THREADS);
  tiles_loaded();

  float acc[R] = {};
  for (int b = 0; b < kernel_cols; ++b) {
    const float* in = tile + in_tile(threadIdx.y * R, threadIdx.x + b);
    float window[R + 4];
#pragma unroll
    for (int r = 0; r < R; ++r) window[r] = in[r * width];
#pragma unroll 2
    for (int a = 0; a < kernel_rows; a += 4) {
      const float4 w4 = taps4[(b * PITCH + a) / 4];
      const float four_taps[4] = {w4.x, w4.y, w4.z, w4.w};
#pragma unroll
      for (int i = 0; i < 4; ++i) window[R + i] = in[(a + R + i) * width];
      apply<4>(acc, window, four_taps);
#pragma unroll
      for (int r = 0; r < R; ++r) window[r] = window[r + 4];
    }
  }

  const int out_cols = cols - kernel_cols + 1;
  const int col = first_col + threadIdx.x;
#pragma unroll
  for (int r = 0; r < R; ++r) {
    const int row = first_row + threadIdx.y * R + r;
    if (row + kernel_rows <= rows && col < out_cols) {
      y[static_cast<size_t>(row) * out_cols + col] = acc[r];
    }
  }
}

extern "C" void conv2d(const float* x, const float* w, float* y, int rows, int cols,
                       int kernel_rows, int kernel_cols) {
  const int tiles_down = kata::ceil_div(rows - kernel_rows + 1, TILE_ROWS);
  const int tiles_across = kata::ceil_div(cols - kernel_cols + 1, TILE_COLS);
  const dim3 block(TILE_COLS, BLOCK_ROWS);
  const size_t bytes = tile_height(kernel_rows) * (TILE_COLS + kernel_cols - 1) * sizeof(float);
  conv2d_kernel<<<tiles_down * tiles_across, block, bytes>>>(x, w, y, rows, cols, kernel_rows,
                                                             kernel_cols, tiles_across);
}
