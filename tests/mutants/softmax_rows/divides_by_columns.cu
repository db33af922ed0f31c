// Fault: the mean for the sum: everything is cols times too large.
#include <cuda_runtime.h>

__global__ void softmax_rows_kernel(const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float best = x[row * cols], mean = 0.0f;
  for (int col = 1; col < cols; ++col) best = fmaxf(best, x[row * cols + col]);
  for (int col = 0; col < cols; ++col) mean += expf(x[row * cols + col] - best) / cols;
  for (int col = 0; col < cols; ++col) {
    y[row * cols + col] = expf(x[row * cols + col] - best) / mean;
  }
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  softmax_rows_kernel<<<(rows + 127) / 128, 128>>>(x, y, rows, cols);
}
