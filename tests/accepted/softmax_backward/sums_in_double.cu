// A block per row; every thread adds its sum in double to one number in shared memory.
#include <cuda_runtime.h>

__global__ void softmax_backward_kernel(const float* y, const float* dy, float* dx, int cols) {
  __shared__ double sum;
  y += static_cast<size_t>(blockIdx.x) * cols;
  dy += static_cast<size_t>(blockIdx.x) * cols;
  dx += static_cast<size_t>(blockIdx.x) * cols;
  if (threadIdx.x == 0) sum = 0.0;
  __syncthreads();
  double mine = 0.0;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    mine += static_cast<double>(y[col]) * dy[col];
  }
  atomicAdd(&sum, mine);
  __syncthreads();
  const float all = static_cast<float>(sum);
  for (int col = threadIdx.x; col < cols; col += blockDim.x) dx[col] = y[col] * (dy[col] - all);
}

extern "C" void softmax_backward(const float* y, const float* dy, float* dx, int rows, int cols) {
  softmax_backward_kernel<<<rows, 96>>>(y, dy, dx, cols);
}
