// Fault: the softmax of every column, not of every row.
#include <cuda_runtime.h>

__global__ void softmax_rows_kernel(const float* x, float* y, int rows, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= cols) return;
  float best = -INFINITY, sum = 0.0f;
  for (int row = 0; row < rows; ++row) best = fmaxf(best, x[row * cols + col]);
  for (int row = 0; row < rows; ++row) sum += expf(x[row * cols + col] - best);
  for (int row = 0; row < rows; ++row) {
    y[row * cols + col] = expf(x[row * cols + col] - best) / sum;
  }
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  softmax_rows_kernel<<<(cols + 127) / 128, 128>>>(x, y, rows, cols);
}
