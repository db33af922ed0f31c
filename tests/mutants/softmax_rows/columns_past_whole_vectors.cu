// Fault: columns are processed four at a time: the last cols % 4 are never written.
#include <cuda_runtime.h>

__global__ void softmax_rows_kernel(const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  x += row * cols;
  y += row * cols;
  float best = -INFINITY, sum = 0.0f;
  for (int col = 0; col + 3 < cols; col += 4) {
    best = fmaxf(best, fmaxf(fmaxf(x[col], x[col + 1]), fmaxf(x[col + 2], x[col + 3])));
  }
  for (int col = 0; col + 3 < cols; col += 4) {
    for (int k = 0; k < 4; ++k) sum += expf(x[col + k] - best);
  }
  for (int col = 0; col + 3 < cols; col += 4) {
    for (int k = 0; k < 4; ++k) y[col + k] = expf(x[col + k] - best) / sum;
  }
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  softmax_rows_kernel<<<(rows + 63) / 64, 64>>>(x, y, rows, cols);
}
