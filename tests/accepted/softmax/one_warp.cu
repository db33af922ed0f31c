// One warp for the whole vector: three passes, all sums by shuffles.
#include <cuda_runtime.h>

__global__ void softmax_kernel(const float* x, float* y, int n) {
  float best = -INFINITY, sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 32) best = fmaxf(best, x[i]);
  for (int o = 16; o > 0; o /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, o));
  for (int i = threadIdx.x; i < n; i += 32) sum += expf(x[i] - best);
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  for (int i = threadIdx.x; i < n; i += 32) y[i] = expf(x[i] - best) / sum;
}

extern "C" void softmax(const float* x, float* y, int n) {
  softmax_kernel<<<1, 32>>>(x, y, n);
}
