// Fault: a row of blocks for 32 output rows: grid.y ends at 65535, and rows at 2200003.
#include <cuda_runtime.h>

__global__ void conv2d_kernel(const float* x, const float* w, float* y, int rows, int cols,
                              int kernel_rows, int kernel_cols) {
  const int out_rows = rows - kernel_rows + 1, out_cols = cols - kernel_cols + 1;
  const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  if (row >= out_rows || col >= out_cols) return;
  float sum = 0.0f;
  for (int a = 0; a < kernel_rows; ++a) {
    for (int b = 0; b < kernel_cols; ++b) {
      sum += x[size_t(row + a) * cols + col + b] * w[a * kernel_cols + b];
    }
  }
  y[size_t(row) * out_cols + col] = sum;
}

extern "C" void conv2d(const float* x, const float* w, float* y, int rows, int cols,
                       int kernel_rows, int kernel_cols) {
  const dim3 grid((cols - kernel_cols) / 32 + 1, (rows - kernel_rows) / 32 + 1);
  conv2d_kernel<<<grid, dim3(32, 32)>>>(x, w, y, rows, cols, kernel_rows, kernel_cols);
}
