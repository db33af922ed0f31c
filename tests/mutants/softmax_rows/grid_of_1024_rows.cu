// Fault: a block for each row, but at most 1024 blocks.
#include <cuda_runtime.h>

__device__ float block_reduce(float value, bool is_sum, float* shared) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      const float other = shared[threadIdx.x + step];
      shared[threadIdx.x] =
          is_sum ? shared[threadIdx.x] + other : fmaxf(shared[threadIdx.x], other);
    }
    __syncthreads();
  }
  const float result = shared[0];
  __syncthreads();
  return result;
}

__global__ void softmax_rows_kernel(const float* x, float* y, int cols) {
  __shared__ float shared[128];
  const float* row_x = x + static_cast<size_t>(blockIdx.x) * cols;
  float* row_y = y + static_cast<size_t>(blockIdx.x) * cols;
  float max = -INFINITY, sum = 0;
  for (int col = threadIdx.x; col < cols; col += 128) max = fmaxf(max, row_x[col]);
  max = block_reduce(max, false, shared);
  for (int col = threadIdx.x; col < cols; col += 128) sum += expf(row_x[col] - max);
  sum = block_reduce(sum, true, shared);
  for (int col = threadIdx.x; col < cols; col += 128) row_y[col] = expf(row_x[col] - max) / sum;
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  softmax_rows_kernel<<<rows < 1024 ? rows : 1024, 128>>>(x, y, cols);
}
