// Fault: blocks loop over rows, and the sum is not set to 0 again for the next row.
#include <cuda_runtime.h>

__global__ void softmax_rows_kernel(const float* x, float* y, int rows, int cols) {
  float sum = 0.0f;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const int first = row * cols;
    float best = -INFINITY;
    for (int col = threadIdx.x; col < cols; col += 32) best = fmaxf(best, x[first + col]);
    for (int o = 16; o > 0; o /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, o));
    for (int col = threadIdx.x; col < cols; col += 32) sum += expf(x[first + col] - best);
    for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    for (int col = threadIdx.x; col < cols; col += 32) {
      y[first + col] = expf(x[first + col] - best) / sum;
    }
  }
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  softmax_rows_kernel<<<min(rows, 132), 32>>>(x, y, rows, cols);
}
