// A plain kernel, a warp per row. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void softmax_backward_kernel(const float* y, const float* dy, float* dx, int rows,
                                        int cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const size_t first = static_cast<size_t>(row) * cols;
  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += 32) sum += y[first + col] * dy[first + col];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  for (int col = threadIdx.x; col < cols; col += 32) {
    dx[first + col] = y[first + col] * (dy[first + col] - sum);
  }
}

extern "C" void softmax_backward(const float* y, const float* dy, float* dx, int rows, int cols) {
  softmax_backward_kernel<<<(rows + 3) / 4, dim3(32, 4)>>>(y, dy, dx, rows, cols);
}
