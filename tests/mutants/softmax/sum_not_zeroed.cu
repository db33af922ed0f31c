// Fault: the sum is set to 0 when the program starts and never again: right at the first call.
#include <cuda_runtime.h>

__device__ float best, sum = 0.0f;

__global__ void find_max(const float* x, int n) {
  float mine = -INFINITY;
  for (int i = threadIdx.x; i < n; i += 32) mine = fmaxf(mine, x[i]);
  for (int o = 16; o > 0; o /= 2) mine = fmaxf(mine, __shfl_xor_sync(~0u, mine, o));
  if (threadIdx.x == 0) best = mine;
}

__global__ void add_up(const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float mine = i < n ? expf(x[i] - best) : 0.0f;
  for (int o = 16; o > 0; o /= 2) mine += __shfl_xor_sync(~0u, mine, o);
  if (threadIdx.x % 32 == 0) atomicAdd(&sum, mine);
}

__global__ void divide(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = expf(x[i] - best) / sum;
}

extern "C" void softmax(const float* x, float* y, int n) {
  const int blocks = (n + 255) / 256;
  find_max<<<1, 32>>>(x, n);
  add_up<<<blocks, 256>>>(x, n);
  divide<<<blocks, 256>>>(x, y, n);
}
