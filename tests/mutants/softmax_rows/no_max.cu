// Fault: exp without the row's maximum: it overflows.
#include <cuda_runtime.h>

__global__ void softmax_rows_kernel(const float* x, float* y, int cols) {
  const float* in = x + blockIdx.x * cols;
  float* out = y + blockIdx.x * cols;
  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += 32) sum += expf(in[col]);
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  for (int col = threadIdx.x; col < cols; col += 32) out[col] = expf(in[col]) / sum;
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  softmax_rows_kernel<<<rows, 32>>>(x, y, cols);
}
