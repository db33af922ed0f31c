// One thread per output: kernel_rows * kernel_cols products, all operands from global memory.
//
// Threads are numbered along the rows of the output, so a warp reads neighbouring inputs. The grid
// is one-dimensional: grid.y ends at 65535, and a tall matrix has more rows than that. Offsets use
// size_t, so that no number of elements overflows them.
//
// Prediction: two loads per product, where an SM issues about one load per clock and four warp-wide
// FFMAs: 1/8 of the arithmetic peak at best. 4096 x 4096 with 31 x 31 has a limit of 487 us at 65
// TFLOP/s, so 3.9 ms or more.
// Measured: 4292.1 us at 4096x4096x31x31, 11 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

constexpr int THREADS = 256;

__global__ void conv2d_kernel(const float* x, const float* w, float* y, int cols, int out_rows,
                              int out_cols, int kernel_rows, int kernel_cols) {
  const size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
  if (i >= static_cast<size_t>(out_rows) * out_cols) return;
  const size_t row = i / out_cols;
  const size_t col = i % out_cols;
  float sum = 0.0f;
  for (int a = 0; a < kernel_rows; ++a) {
    for (int b = 0; b < kernel_cols; ++b) {
      sum += x[(row + a) * cols + col + b] * w[a * kernel_cols + b];
    }
  }
  y[i] = sum;
}

extern "C" void conv2d(const float* x, const float* w, float* y, int rows, int cols,
                       int kernel_rows, int kernel_cols) {
  const int out_rows = rows - kernel_rows + 1;
  const int out_cols = cols - kernel_cols + 1;
  const size_t outputs = static_cast<size_t>(out_rows) * out_cols;
  const unsigned grid = (outputs - 1) / THREADS + 1;
  conv2d_kernel<<<grid, THREADS>>>(x, w, y, cols, out_rows, out_cols, kernel_rows, kernel_cols);
}
