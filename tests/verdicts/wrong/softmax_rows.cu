// Planted fault: the grid is sized by columns, so rows beyond it are never computed.
#include <cuda_runtime.h>

__global__ void softmax_rows_kernel(const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float best = x[row * cols];
  for (int col = 1; col < cols; ++col) best = fmaxf(best, x[row * cols + col]);
  float sum = 0.0f;
  for (int col = 0; col < cols; ++col) sum += expf(x[row * cols + col] - best);
  for (int col = 0; col < cols; ++col) y[row * cols + col] = expf(x[row * cols + col] - best) / sum;
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  softmax_rows_kernel<<<(cols + 31) / 32, 32>>>(x, y, rows, cols);
}
