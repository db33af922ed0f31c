// Fault: the row is blockIdx.y, and a grid has at most 65535 blocks along y.
#include <cuda_runtime.h>

__global__ void softmax_rows_kernel(const float* x, float* y, int cols) {
  const int row = blockIdx.y;
  x += static_cast<size_t>(row) * cols;
  y += static_cast<size_t>(row) * cols;
  float best = -INFINITY;
  for (int col = threadIdx.x; col < cols; col += 32) best = fmaxf(best, x[col]);
  for (int d = 16; d > 0; d /= 2) best = fmaxf(best, __shfl_xor_sync(0xffffffffu, best, d));
  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += 32) sum += expf(x[col] - best);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  for (int col = threadIdx.x; col < cols; col += 32) y[col] = expf(x[col] - best) / sum;
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  softmax_rows_kernel<<<dim3(1, rows), 32>>>(x, y, cols);
}
