// Fault: the whole vector is kept in shared memory, for any n.
#include <cuda_runtime.h>

__global__ void softmax_kernel(const float* x, float* y, int n) {
  extern __shared__ float e[];
  float best = -INFINITY, sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 32) best = fmaxf(best, x[i]);
  for (int o = 16; o > 0; o /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, o));
  for (int i = threadIdx.x; i < n; i += 32) sum += e[i] = expf(x[i] - best);
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  for (int i = threadIdx.x; i < n; i += 32) y[i] = e[i] / sum;
}

extern "C" void softmax(const float* x, float* y, int n) {
  softmax_kernel<<<1, 32, n * sizeof(float)>>>(x, y, n);
}
