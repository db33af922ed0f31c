// Fault: half as many threads as columns, rounded down: none at all for one column.
#include <cuda_runtime.h>

__global__ void softmax_rows_kernel(const float* x, float* y, int cols) {
  const float* in = x + blockIdx.x * cols;
  float best = -INFINITY, sum = 0.0f;
  for (int col = 0; col < cols; ++col) best = fmaxf(best, in[col]);
  for (int col = 0; col < cols; ++col) sum += expf(in[col] - best);
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    y[blockIdx.x * cols + col] = expf(in[col] - best) / sum;
  }
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  const int half = cols / 2;
  softmax_rows_kernel<<<rows, min(half, 256)>>>(x, y, cols);
}
