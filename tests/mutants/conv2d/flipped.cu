// Fault: the kernel is turned around, as in signal processing.
#include <cuda_runtime.h>

__global__ void conv2d_kernel(const float* x, const float* w, float* y, int rows, int cols,
                              int kernel_rows, int kernel_cols) {
  const int out_rows = rows - kernel_rows + 1, out_cols = cols - kernel_cols + 1;
  const int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  if (row >= out_rows || col >= out_cols) return;
  float sum = 0.0f;
  for (int a = 0; a < kernel_rows; ++a) {
    for (int b = 0; b < kernel_cols; ++b) {
      sum += x[(row + a) * cols + col + b] *
             w[(kernel_rows - 1 - a) * kernel_cols + kernel_cols - 1 - b];
    }
  }
  y[row * out_cols + col] = sum;
}

extern "C" void conv2d(const float* x, const float* w, float* y, int rows, int cols,
                       int kernel_rows, int kernel_cols) {
  const dim3 grid((cols - kernel_cols) / 32 + 1, (rows - kernel_rows) / 8 + 1);
  conv2d_kernel<<<grid, dim3(32, 8)>>>(x, w, y, rows, cols, kernel_rows, kernel_cols);
}
