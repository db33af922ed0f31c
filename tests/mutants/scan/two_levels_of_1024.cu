// Fault: one block scans the totals of all blocks, of which it takes 1024.
#include <cuda_runtime.h>

__device__ float scan_of_block(float value) {
  __shared__ float shared[1024];
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int step = 1; step < 1024; step *= 2) {
    const float other = threadIdx.x >= step ? shared[threadIdx.x - step] : 0;
    __syncthreads();
    shared[threadIdx.x] += other;
    __syncthreads();
  }
  return shared[threadIdx.x];
}

__global__ void blocks_kernel(const float* x, float* y, float* totals, int n) {
  const int i = blockIdx.x * 1024 + threadIdx.x;
  const float value = scan_of_block(i < n ? x[i] : 0);
  if (i < n) y[i] = value;
  if (threadIdx.x == 1023) totals[blockIdx.x] = value;
}

__global__ void totals_kernel(float* totals, int blocks) {
  const int i = threadIdx.x;
  const float value = scan_of_block(i < blocks ? totals[i] : 0);
  if (i < blocks) totals[i] = value;
}

__global__ void add_kernel(float* y, const float* totals, int n) {
  const int i = blockIdx.x * 1024 + threadIdx.x;
  if (blockIdx.x > 0 && i < n) y[i] += totals[blockIdx.x - 1];
}

extern "C" void scan(const float* x, float* y, int n) {
  const int blocks = (n + 1023) / 1024;
  float* totals = nullptr;
  cudaMalloc(&totals, blocks * sizeof(float));
  blocks_kernel<<<blocks, 1024>>>(x, y, totals, n);
  totals_kernel<<<1, 1024>>>(totals, blocks);
  add_kernel<<<blocks, 1024>>>(y, totals, n);
  cudaFree(totals);
}
