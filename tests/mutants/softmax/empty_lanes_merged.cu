// Fault: lanes without an element merge -inf - -inf, which is NaN: wrong for n < 32.
#include <cuda_runtime.h>

__global__ void softmax_kernel(const float* x, float* y, int n) {
  float best = -INFINITY, sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 32) {
    const float grown = fmaxf(best, x[i]);
    sum = sum * expf(best - grown) + expf(x[i] - grown);
    best = grown;
  }
  for (int o = 16; o > 0; o /= 2) {
    const float other_best = __shfl_xor_sync(~0u, best, o);
    const float other_sum = __shfl_xor_sync(~0u, sum, o);
    const float both = fmaxf(best, other_best);
    sum = sum * expf(best - both) + other_sum * expf(other_best - both);
    best = both;
  }
  for (int i = threadIdx.x; i < n; i += 32) y[i] = expf(x[i] - best) / sum;
}

extern "C" void softmax(const float* x, float* y, int n) {
  softmax_kernel<<<1, 32>>>(x, y, n);
}
