// Fault: the maximum starts at -1e38, and a whole row may be lower.
#include <cuda_runtime.h>

__global__ void softmax_kernel(const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* in = x + (size_t)row * cols;
  float* out = y + (size_t)row * cols;
  float max = -1e38f, sum = 0;
  for (int i = 0; i < cols; ++i) max = fmaxf(max, in[i]);
  for (int i = 0; i < cols; ++i) sum += expf(in[i] - max);
  for (int i = 0; i < cols; ++i) out[i] = expf(in[i] - max) / sum;
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  softmax_kernel<<<(rows + 63) / 64, 64>>>(x, y, rows, cols);
}
