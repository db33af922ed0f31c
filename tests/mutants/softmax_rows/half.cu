// Fault: the exponentials are kept as half.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void softmax_rows_kernel(const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float best = -INFINITY, sum = 0.0f;
  for (int col = 0; col < cols; ++col) best = fmaxf(best, x[row * cols + col]);
  for (int col = 0; col < cols; ++col) {
    sum += __half2float(__float2half(expf(x[row * cols + col] - best)));
  }
  for (int col = 0; col < cols; ++col) {
    y[row * cols + col] = __half2float(__float2half(expf(x[row * cols + col] - best))) / sum;
  }
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  softmax_rows_kernel<<<(rows + 31) / 32, 32>>>(x, y, rows, cols);
}
