// Fault: the grid is computed from cols instead of rows: rows past it are never written.
#include <cuda_runtime.h>

__global__ void softmax_rows_kernel(const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  x += row * cols;
  y += row * cols;
  float best = x[0], sum = 0.0f;
  for (int col = 1; col < cols; ++col) best = fmaxf(best, x[col]);
  for (int col = 0; col < cols; ++col) sum += expf(x[col] - best);
  for (int col = 0; col < cols; ++col) y[col] = expf(x[col] - best) / sum;
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  softmax_rows_kernel<<<(cols + 31) / 32, 32>>>(x, y, rows, cols);
}
