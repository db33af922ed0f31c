// Fault: __threadfence() instead of a grid barrier: a block divides by the sum so far.
#include <cuda_runtime.h>

__global__ void find_max(const float* x, float* best, float* sum, int n) {
  float mine = -INFINITY;
  for (int i = threadIdx.x; i < n; i += 32) mine = fmaxf(mine, x[i]);
  for (int o = 16; o > 0; o /= 2) mine = fmaxf(mine, __shfl_xor_sync(~0u, mine, o));
  if (threadIdx.x == 0) *best = mine;
  if (threadIdx.x == 0) *sum = 0.0f;
}

__global__ void softmax_kernel(const float* x, float* y, const float* best, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float e = i < n ? expf(x[i] - *best) : 0.0f;
  float mine = e;
  for (int o = 16; o > 0; o /= 2) mine += __shfl_xor_sync(~0u, mine, o);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
  __threadfence();
  __syncthreads();
  if (i < n) y[i] = e / *(volatile float*)sum;
}

extern "C" void softmax(const float* x, float* y, int n) {
  float* scratch;
  cudaMalloc(&scratch, 2 * sizeof(float));
  find_max<<<1, 32>>>(x, scratch, scratch + 1, n);
  softmax_kernel<<<(n + 255) / 256, 256>>>(x, y, scratch, scratch + 1, n);
  cudaFree(scratch);
}
