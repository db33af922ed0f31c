// A column of eight outputs per thread: the window of inputs slides down through registers.
//
// For a fixed column of the filter, the eight outputs are a one-dimensional convolution: each step
// applies one tap to the 8 inputs held in registers and loads one new input below them. A loaded
// value serves up to 8 outputs. Lanes stay next to each other in a row, so shared loads have no
// bank conflicts and stores are coalesced. Unrolled 8 times, the shift of the window is renaming.
//
// Prediction: kernel_rows + 8 shared loads for 8 * kernel_rows products, one load per 6.4 products
// at 31 rows: arithmetic becomes the limit. About 8 of 11 instructions are FFMAs: 65 % of the peak,
// 750 us for 31 x 31. For 3 x 3, 11 loads for 24 products: the load units still are the limit.
// Measured: not yet
#include <kata/kata.h>

constexpr int R = 8;  // outputs per thread, one below the other
constexpr int TILE_COLS = 32;
constexpr int BLOCK_ROWS = 8;
constexpr int TILE_ROWS = BLOCK_ROWS * R;
constexpr int MAX_TAPS = 31 * 31;

__constant__ float filter[MAX_TAPS];

__global__ void conv2d_kernel(const float* x, float* y, int rows, int cols, int kernel_rows,
                              int kernel_cols, int tiles_across) {
  extern __shared__ float tile[];  // [TILE_ROWS + kernel_rows][TILE_COLS + kernel_cols - 1]
  const int height = TILE_ROWS + kernel_rows;  // the last step loads one row more than it uses
  const int width = TILE_COLS + kernel_cols - 1;
  const int first_row = blockIdx.x / tiles_across * TILE_ROWS;
  const int first_col = blockIdx.x % tiles_across * TILE_COLS;
  for (int r = threadIdx.y; r < height; r += BLOCK_ROWS) {
    for (int c = threadIdx.x; c < width; c += TILE_COLS) {
      const bool in_bounds = first_row + r < rows && first_col + c < cols;
      const size_t i = static_cast<size_t>(first_row + r) * cols + first_col + c;
      tile[r * width + c] = in_bounds ? x[i] : 0.0f;
    }
  }
  __syncthreads();

  float acc[R] = {};
  for (int b = 0; b < kernel_cols; ++b) {
    const float* in = tile + threadIdx.y * R * width + threadIdx.x + b;
    float window[R];
#pragma unroll
    for (int r = 0; r < R; ++r) window[r] = in[r * width];
#pragma unroll 8
    for (int a = 0; a < kernel_rows; ++a) {
      const float tap = filter[a * kernel_cols + b];
#pragma unroll
      for (int r = 0; r < R; ++r) acc[r] += window[r] * tap;
#pragma unroll
      for (int r = 0; r < R - 1; ++r) window[r] = window[r + 1];
      window[R - 1] = in[(a + R) * width];
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
  const int tiles_down = (rows - kernel_rows) / TILE_ROWS + 1;
  const int tiles_across = (cols - kernel_cols) / TILE_COLS + 1;
  const dim3 block(TILE_COLS, BLOCK_ROWS);
  const size_t bytes = (TILE_ROWS + kernel_rows) * (TILE_COLS + kernel_cols - 1) * sizeof(float);
  cudaMemcpyToSymbolAsync(filter, w, kernel_rows * kernel_cols * sizeof(float), 0,
                          cudaMemcpyDeviceToDevice);
  conv2d_kernel<<<tiles_down * tiles_across, block, bytes>>>(x, y, rows, cols, kernel_rows,
                                                             kernel_cols, tiles_across);
}
