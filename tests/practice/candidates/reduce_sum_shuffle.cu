// Shuffles in each warp, one shared float per warp, one atomic per block of 256.
#include <cuda_runtime.h>

__global__ void sum_kernel(const float* x, float* sum, int n) {
  __shared__ float partial[8];
  const int i = blockIdx.x * 256 + threadIdx.x;
  float value = i < n ? x[i] : 0;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  value = threadIdx.x < 8 ? partial[threadIdx.x] : 0;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  if (threadIdx.x == 0) atomicAdd(sum, value);
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  cudaMemset(sum, 0, sizeof(float));
  sum_kernel<<<(n + 255) / 256, 256>>>(x, sum, n);
}
