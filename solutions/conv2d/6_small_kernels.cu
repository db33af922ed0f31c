// 3 x 3, 5 x 5 and 7 x 7 at compile time: 4 x 8 outputs per thread, inputs straight from L1.
//
// A thread walks down its inputs and loads 4 + K - 1 floats of a row as float4; they serve up to K
// output rows. No tile and no barrier: loads and arithmetic of different warps overlap. The taps
// come from global memory, which saves the copy. Other sizes and unaligned rows take rung 5.
//
// Prediction: 3 x 3 is 8 bytes per output: 95 % of the limit, 34 us. 7 x 7 has 25 us of FFMAs at
// the peak under 32 us of memory time: 40 us if they overlap. 31 x 31: as rung 5.
// Measured: 54.6 us at 4096x4096x7x7, 60 % of the limit (H200, 2026-11-24)
#include <kata/kata.h>

#include "../common/sliding_window.h"
#include "row_segment.h"
#include "tile2d.h"

constexpr int SMALL_ROWS = 8, SMALL_WARPS = 4;  // small kernels: 4 x 8 outputs per thread
constexpr int R = 16;                           // outputs per thread, and taps per step
constexpr int ACROSS = 8;
constexpr int TILE_ROWS = 16;
constexpr int TILE_COLS = ACROSS * R;
constexpr int THREADS = ACROSS * TILE_ROWS;
constexpr int MAX_KERNEL = 31;
constexpr int TAPS_PITCH = 8;  // float4 per row of the kernel

// One block per SM as the bound lets the compiler use 94 registers for 3 x 3 instead of 48, so more
// loads are under way: 34.5 us instead of 36.7 in a trial. Larger kernels lose; 0 sets no bound.
template <int K>
__global__ void __launch_bounds__(32 * SMALL_WARPS, K == 3 ? 1 : 0)
    small_kernel(const float* x, const float* w, float* y, int rows, int cols, int tiles_across) {
  __shared__ float4 scratch[SMALL_WARPS][32];
  const int first_row = (blockIdx.x / tiles_across * SMALL_WARPS + threadIdx.y) * SMALL_ROWS;
  const int first_col = blockIdx.x % tiles_across * 128;
  float taps[K * K];
#pragma unroll
  for (int t = 0; t < K * K; ++t) taps[t] = w[t];

  float acc[SMALL_ROWS][4] = {};
#pragma unroll
  for (int i = 0; i < SMALL_ROWS + K - 1; ++i) {
    const size_t row = min(first_row + i, rows - 1);  // rows past the end reach no output
    float in[(4 + K - 1 + 3) / 4 * 4];
    load_segment(in, x + row * cols, first_col + 4 * threadIdx.x, cols);
#pragma unroll
    for (int r = 0; r < SMALL_ROWS; ++r) {
      if (r <= i && i < r + K) apply<K>(acc[r], in, taps + (i - r) * K);
    }
  }

  const size_t out_cols = cols - K + 1;
#pragma unroll
  for (int r = 0; r < SMALL_ROWS; ++r) {
    const int row = first_row + r;
    if (row + K > rows) return;  // the whole warp
    store_segment(acc[r], scratch[threadIdx.y], y + row * out_cols, first_col, out_cols);
  }
}

template <int K>
void launch_small(const float* x, const float* w, float* y, int rows, int cols) {
  const int tiles_down = (rows - K) / (SMALL_ROWS * SMALL_WARPS) + 1;
  const int tiles_across = kata::ceil_div(cols - K + 1, 128);
  const dim3 block(32, SMALL_WARPS);
  small_kernel<K><<<tiles_down * tiles_across, block>>>(x, w, y, rows, cols, tiles_across);
}

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
  const int k = kernel_rows == kernel_cols && cols % 4 == 0 ? kernel_rows : 0;
  if (k == 3) return launch_small<3>(x, w, y, rows, cols);
  if (k == 5) return launch_small<5>(x, w, y, rows, cols);
  if (k == 7) return launch_small<7>(x, w, y, rows, cols);
  const int tiles_down = kata::ceil_div(rows - kernel_rows + 1, TILE_ROWS);
  const int tiles_across = kata::ceil_div(cols - kernel_cols + 1, TILE_COLS);
  const size_t bytes = (TILE_ROWS + kernel_rows - 1) * tile_pitch(kernel_cols) * sizeof(float4);
  wide_kernel<<<tiles_down * tiles_across, THREADS, bytes>>>(x, w, y, rows, cols, kernel_rows,
                                                             kernel_cols, tiles_across);
}
