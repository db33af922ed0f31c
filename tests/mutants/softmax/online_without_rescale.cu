// Fault: online softmax: the sum is not rescaled when the maximum grows.
#include <cuda_runtime.h>

__global__ void softmax_kernel(const float* x, float* y, int n) {
  float best = -INFINITY, sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 32) {
    best = fmaxf(best, x[i]);
    sum += expf(x[i] - best);
  }
  for (int o = 16; o > 0; o /= 2) {
    const float other_best = __shfl_xor_sync(~0u, best, o);
    const float other_sum = __shfl_xor_sync(~0u, sum, o);
    const float both = fmaxf(best, other_best);
    sum = (sum > 0 ? sum * expf(best - both) : 0.0f) +
          (other_sum > 0 ? other_sum * expf(other_best - both) : 0.0f);
    best = both;
  }
  for (int i = threadIdx.x; i < n; i += 32) y[i] = expf(x[i] - best) / sum;
}

extern "C" void softmax(const float* x, float* y, int n) {
  softmax_kernel<<<1, 32>>>(x, y, n);
}
