// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void softmax_rows_kernel(const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float best = -INFINITY, sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += 32) best = fmaxf(best, x[row * cols + col]);
  for (int o = 16; o > 0; o /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, o));
  for (int col = threadIdx.x; col < cols; col += 32) sum += expf(x[row * cols + col] - best);
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  for (int col = threadIdx.x; col < cols; col += 32) {
    y[row * cols + col] = expf(x[row * cols + col] - best) / sum;
  }
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  softmax_rows_kernel<<<(rows + 3) / 4, dim3(32, 4)>>>(x, y, rows, cols);
}
