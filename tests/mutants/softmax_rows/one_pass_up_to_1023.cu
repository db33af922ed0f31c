// Fault: the sum is made in one pass over 512 columns if cols / 512 <= 1, which is true up to 1023.
#include <cuda_runtime.h>

__global__ void softmax_rows_kernel(const float* x, float* y, int rows, int cols, int summed) {
  const float* in = x + blockIdx.x * cols;
  float* out = y + blockIdx.x * cols;
  float best = -INFINITY, sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += 32) best = fmaxf(best, in[col]);
  for (int o = 16; o > 0; o /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, o));
  for (int col = threadIdx.x; col < summed; col += 32) sum += expf(in[col] - best);
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  for (int col = threadIdx.x; col < cols; col += 32) out[col] = expf(in[col] - best) / sum;
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  const int summed = cols / 512 <= 1 ? min(cols, 512) : cols;
  softmax_rows_kernel<<<rows, 32>>>(x, y, rows, cols, summed);
}
