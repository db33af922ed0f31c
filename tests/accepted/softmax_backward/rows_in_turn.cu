// Three blocks take the rows in turn; a tree in shared memory adds up.
#include <cuda_runtime.h>

constexpr int threads = 64;

__global__ void softmax_backward_kernel(const float* y, const float* dy, float* dx, int rows,
                                        int cols) {
  __shared__ float part[threads];
  const int tid = threadIdx.x;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const size_t first = static_cast<size_t>(row) * cols;
    float sum = 0.0f;
    for (int col = tid; col < cols; col += threads) sum += y[first + col] * dy[first + col];
    part[tid] = sum;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
      if (tid < half) part[tid] += part[tid + half];
      __syncthreads();
    }
    const float all = part[0];
    __syncthreads();  // before the next row overwrites part
    for (int col = tid; col < cols; col += threads) {
      dx[first + col] = y[first + col] * (dy[first + col] - all);
    }
  }
}

extern "C" void softmax_backward(const float* y, const float* dy, float* dx, int rows, int cols) {
  softmax_backward_kernel<<<3, threads>>>(y, dy, dx, rows, cols);
}
