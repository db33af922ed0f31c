// Shuffles in each warp, one shared float per warp, one atomic per block of 512.
#include <cuda_runtime.h>

__global__ void sum_kernel(const float* x, float* sum, int n) {
  __shared__ float partial[16];
  const int i = blockIdx.x * 512 + threadIdx.x;
  float value = i < n ? x[i] : 0;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  value = threadIdx.x < 16 ? partial[threadIdx.x] : 0;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  if (threadIdx.x == 0) atomicAdd(sum, value);
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  cudaMemset(sum, 0, sizeof(float));
  sum_kernel<<<(n + 511) / 512, 512>>>(x, sum, n);
}
