// A block takes columns of the output from top to bottom, and threads add up in double, backwards.
#include <cuda_runtime.h>

__global__ void conv2d_kernel(const float* x, const float* w, float* y, int rows, int cols,
                              int kernel_rows, int kernel_cols) {
  const int out_rows = rows - kernel_rows + 1;
  const int out_cols = cols - kernel_cols + 1;
  for (int col = blockIdx.x; col < out_cols; col += gridDim.x) {
    for (int row = threadIdx.x; row < out_rows; row += blockDim.x) {
      double sum = 0.0;
      for (int t = kernel_rows * kernel_cols - 1; t >= 0; --t) {
        sum +=
            static_cast<double>(w[t]) * x[(row + t / kernel_cols) * cols + col + t % kernel_cols];
      }
      y[row * out_cols + col] = static_cast<float>(sum);
    }
  }
}

extern "C" void conv2d(const float* x, const float* w, float* y, int rows, int cols,
                       int kernel_rows, int kernel_cols) {
  conv2d_kernel<<<7, 192>>>(x, w, y, rows, cols, kernel_rows, kernel_cols);
}
