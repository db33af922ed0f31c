// 16 outputs along a row per thread and float4 loads: 256 products for eight shared loads.
//
// For a fixed row of the kernel, 16 neighbouring outputs are a one-dimensional convolution.
// common/sliding_window.h applies 16 taps at a time to a window of 32 inputs, with padding against
// bank conflicts. The taps lie in shared memory as well: 31 x 31 of them, 3.8 KB, do not stay in
// the constant cache of 2 KiB. Results go through the tile, so that stores are coalesced.
//
// Prediction: 31 taps take 20 shared loads and 512 FFMAs per row, 496 of them needed: 91 % of the
// instructions do useful work. With the loading of the tile 85 % of the peak, 570 us for 31 x 31.
// For 3 x 3 loading the tile dominates: 144 * 18 loads for 2048 outputs.
// Measured: 737.2 us at 4096x4096x31x31, 65 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "../common/sliding_window.h"
#include "tile2d.h"

constexpr int R = 16;  // outputs per thread, and taps per step
constexpr int ACROSS = 8;
constexpr int TILE_ROWS = 16;
constexpr int TILE_COLS = ACROSS * R;
constexpr int THREADS = ACROSS * TILE_ROWS;
constexpr int MAX_KERNEL = 31;
constexpr int TAPS_PITCH = 8;  // float4 per row of the kernel

// Inputs per row of the tile, in float4: kernel_cols - 1 more than outputs, in whole steps.
__host__ __device__ constexpr int tile_pitch(int kernel_cols) {
  return padded((TILE_COLS + (kernel_cols + R - 1) / R * R) / 4);
}

__global__ void __launch_bounds__(THREADS)
    wide_kernel(const float* x, const float* w, float* y, int rows, int cols, int kernel_rows,
                int kernel_cols, int tiles_across) {
  extern __shared__ float4 tile4[];  // [TILE_ROWS + kernel_rows - 1][pitch]
  __shared__ float4 taps4[MAX_KERNEL * TAPS_PITCH];
  float* tile = reinterpret_cast<float*>(tile4);
  const int tid = threadIdx.x;
  const int pitch = tile_pitch(kernel_cols);
  const auto in_taps = [](int r, int c) { return 4 * TAPS_PITCH * r + c; };
  const auto in_tile = [=](int r, int c) { return 4 * (r * pitch + padded(c / 4)) + c % 4; };
  const int first_row = blockIdx.x / tiles_across * TILE_ROWS;
  const int first_col = blockIdx.x % tiles_across * TILE_COLS;
  const int width = TILE_COLS + (kernel_cols + R - 1) / R * R;
  load_tile(reinterpret_cast<float*>(taps4), in_taps, w, kernel_rows, kernel_cols,
            {0, 0, kernel_rows, 4 * TAPS_PITCH}, tid, THREADS);
  load_tile(tile, in_tile, x, rows, cols,
            {first_row, first_col, TILE_ROWS + kernel_rows - 1, width}, tid, THREADS);
  tiles_loaded();

  const int my_row = tid / ACROSS;
  const int my_col = tid % ACROSS * R;
  float acc[R] = {};
  for (int a = 0; a < kernel_rows; ++a) {
    const float4* in = tile4 + (my_row + a) * pitch + padded(my_col / 4);
    add_taps(acc, in, taps4 + a * TAPS_PITCH, kernel_cols);
  }

  __syncthreads();  // all threads are done with the inputs
#pragma unroll
  for (int r = 0; r < R; ++r) tile[in_tile(my_row, my_col + r)] = acc[r];
  __syncthreads();
  store_tile(tile, in_tile, y, rows - kernel_rows + 1, cols - kernel_cols + 1,
             {first_row, first_col, TILE_ROWS, TILE_COLS}, tid, THREADS);
}

extern "C" void conv2d(const float* x, const float* w, float* y, int rows, int cols,
                       int kernel_rows, int kernel_cols) {
  const int tiles_down = kata::ceil_div(rows - kernel_rows + 1, TILE_ROWS);
  const int tiles_across = kata::ceil_div(cols - kernel_cols + 1, TILE_COLS);
  const size_t bytes = (TILE_ROWS + kernel_rows - 1) * tile_pitch(kernel_cols) * sizeof(float4);
  wide_kernel<<<tiles_down * tiles_across, THREADS, bytes>>>(x, w, y, rows, cols, kernel_rows,
                                                             kernel_cols, tiles_across);
}
