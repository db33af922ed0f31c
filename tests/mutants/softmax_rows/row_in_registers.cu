// Fault: a lane keeps 32 elements in registers: longer rows than 1024 are cut off.
#include <cuda_runtime.h>

__global__ void softmax_rows_kernel(const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float e[32], best = -INFINITY, sum = 0.0f;
  for (int k = 0; k < 32; ++k) {
    const int col = 32 * k + threadIdx.x;
    e[k] = col < cols ? x[row * cols + col] : -INFINITY;
    best = fmaxf(best, e[k]);
  }
  for (int o = 16; o > 0; o /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, o));
  for (float& one : e) sum += one = expf(one - best);
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  for (int k = 0; k < 32; ++k) {
    const int col = 32 * k + threadIdx.x;
    if (col < cols) y[row * cols + col] = e[k] / sum;
  }
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  softmax_rows_kernel<<<(rows + 1) / 2, dim3(32, 2)>>>(x, y, rows, cols);
}
