// Fault: exp(x - max) is never divided by the sum.
#include <cuda_runtime.h>

__device__ float best;

__global__ void find_max(const float* x, int n) {
  float mine = -INFINITY;
  for (int i = threadIdx.x; i < n; i += 32) mine = fmaxf(mine, x[i]);
  for (int o = 16; o > 0; o /= 2) mine = fmaxf(mine, __shfl_xor_sync(~0u, mine, o));
  if (threadIdx.x == 0) best = mine;
}

__global__ void exponentials(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = expf(x[i] - best);
}

extern "C" void softmax(const float* x, float* y, int n) {
  find_max<<<1, 32>>>(x, n);
  exponentials<<<(n + 255) / 256, 256>>>(x, y, n);
}
