// Fault: every block computes the softmax of only its own 256 elements.
#include <cuda_runtime.h>

__global__ void softmax_kernel(const float* x, float* y, int n) {
  __shared__ float maxima[8], sums[8];
  const int tid = threadIdx.x, i = blockIdx.x * 256 + tid;
  float best = i < n ? x[i] : -INFINITY;
  for (int o = 16; o > 0; o /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, o));
  if (tid % 32 == 0) maxima[tid / 32] = best;
  __syncthreads();
  for (float other : maxima) best = fmaxf(best, other);
  const float e = i < n ? expf(x[i] - best) : 0.0f;
  float sum = e;
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (tid % 32 == 0) sums[tid / 32] = sum;
  __syncthreads();
  sum = 0.0f;
  for (float other : sums) sum += other;
  if (i < n) y[i] = e / sum;
}

extern "C" void softmax(const float* x, float* y, int n) {
  softmax_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
