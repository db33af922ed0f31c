// Three blocks take the rows in turn; one shared array serves the maximum, then the sum.
#include <cuda_runtime.h>

constexpr int threads = 128;

template <class F>
__device__ float block_reduce(float value, float* shared, F merge) {
  __syncthreads();  // the array's last use is over
  shared[threadIdx.x] = value;
  for (int half = threads / 2; half > 0; half >>= 1) {
    __syncthreads();
    if (threadIdx.x < half)
      shared[threadIdx.x] = merge(shared[threadIdx.x], shared[threadIdx.x + half]);
  }
  __syncthreads();
  return shared[0];
}

__global__ void rows_kernel(const float* x, float* y, int rows, int cols) {
  __shared__ float shared[threads];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const float* in = x + static_cast<size_t>(row) * cols;
    float* out = y + static_cast<size_t>(row) * cols;
    float best = -INFINITY, sum = 0.0f;
    for (int col = threadIdx.x; col < cols; col += threads) best = fmaxf(best, in[col]);
    best = block_reduce(best, shared, [](float a, float b) { return fmaxf(a, b); });
    for (int col = threadIdx.x; col < cols; col += threads) sum += expf(in[col] - best);
    sum = block_reduce(sum, shared, [](float a, float b) { return a + b; });
    for (int col = threadIdx.x; col < cols; col += threads) out[col] = expf(in[col] - best) / sum;
  }
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  rows_kernel<<<3, threads>>>(x, y, rows, cols);
}
