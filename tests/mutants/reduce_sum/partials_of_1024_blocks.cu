// Fault: a slot for each of 1024 blocks, and the blocks beyond them have none.
#include <cuda_runtime.h>

__device__ float partials[1024];

__device__ float sum_of_block(float value) {
  __shared__ float shared[256];
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (threadIdx.x < step) shared[threadIdx.x] += shared[threadIdx.x + step];
    __syncthreads();
  }
  return shared[0];
}

__global__ void block_kernel(const float* x, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float sum = sum_of_block(i < n ? x[i] : 0);
  if (threadIdx.x == 0 && blockIdx.x < 1024) partials[blockIdx.x] = sum;
}

__global__ void total_kernel(float* total, int blocks) {
  float value = 0;
  for (int i = threadIdx.x; i < blocks && i < 1024; i += 256) value += partials[i];
  const float sum = sum_of_block(value);
  if (threadIdx.x == 0) *total = sum;
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  const int blocks = (n + 255) / 256;
  block_kernel<<<blocks, 256>>>(x, n);
  total_kernel<<<1, 256>>>(sum, blocks);
}
