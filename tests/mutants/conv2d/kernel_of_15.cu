// Fault: the shared array for the kernel has room for 15 x 15 taps.
#include <cuda_runtime.h>

__global__ void conv2d_kernel(const float* x, const float* w, float* y, int rows, int cols,
                              int kernel_rows, int kernel_cols) {
  __shared__ float filter[15 * 15];
  const int tid = threadIdx.y * 32 + threadIdx.x;
  for (int t = tid; t < kernel_rows * kernel_cols; t += 256) filter[t] = w[t];
  __syncthreads();
  const int out_rows = rows - kernel_rows + 1, out_cols = cols - kernel_cols + 1;
  const int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  if (row >= out_rows || col >= out_cols) return;
  float sum = 0.0f;
  for (int a = 0; a < kernel_rows; ++a) {
    for (int b = 0; b < kernel_cols; ++b) {
      sum += x[(row + a) * cols + col + b] * filter[a * kernel_cols + b];
    }
  }
  y[row * out_cols + col] = sum;
}

extern "C" void conv2d(const float* x, const float* w, float* y, int rows, int cols,
                       int kernel_rows, int kernel_cols) {
  const dim3 grid((cols - kernel_cols) / 32 + 1, (rows - kernel_rows) / 8 + 1);
  conv2d_kernel<<<grid, dim3(32, 8)>>>(x, w, y, rows, cols, kernel_rows, kernel_cols);
}
