// Fault: the total is read from shared memory without a barrier after the write.
#include <cuda_runtime.h>

__global__ void softmax_kernel(const float* x, float* y, int n) {
  __shared__ float maxima[8], sums[8], total;
  const int tid = threadIdx.x, warp = tid / 32;
  float best = -INFINITY, sum = 0.0f;
  for (int i = tid; i < n; i += 256) best = fmaxf(best, x[i]);
  for (int o = 16; o > 0; o /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, o));
  if (tid % 32 == 0) maxima[warp] = best;
  __syncthreads();
  for (float other : maxima) best = fmaxf(best, other);
  for (int i = tid; i < n; i += 256) sum += __expf(x[i] - best);
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (tid % 32 == 0) sums[warp] = sum;
  __syncthreads();
  if (tid == 0) {
    total = 0.0f;
    for (float other : sums) total += other;
  }
  for (int i = tid; i < n; i += 256) y[i] = __expf(x[i] - best) / total;
}

extern "C" void softmax(const float* x, float* y, int n) {
  softmax_kernel<<<1, 256>>>(x, y, n);
}
