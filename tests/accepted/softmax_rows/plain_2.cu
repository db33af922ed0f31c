// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void softmax_rows_kernel(const float* x, float* y, int rows, int cols, int summed) {
  const float* in = x + blockIdx.x * cols;
  float* out = y + blockIdx.x * cols;
  float best = -INFINITY, sum = 0.0f;
  for (int col = 0; col < cols; ++col) best = fmaxf(best, in[col]);
  for (int col = 0; col < cols; ++col) sum += expf(in[col] - best);
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    y[blockIdx.x * cols + col] = expf(in[col] - best) / sum;
  }
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  const int summed = cols > 1024 ? cols / 4 * 4 : cols;
  softmax_rows_kernel<<<rows, 32>>>(x, y, rows, cols, summed);
}
