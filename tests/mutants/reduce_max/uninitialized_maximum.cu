// Fault: the running maximum of each thread has no initial value.
#include <kata/kata.h>

__global__ void max_kernel(const float* x, float* max, int n) {
  __shared__ float best[256];
  float own;
  for (int i = threadIdx.x; i < n; i += blockDim.x) own = fmaxf(own, x[i]);
  best[threadIdx.x] = threadIdx.x < n ? own : -INFINITY;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) best[threadIdx.x] = fmaxf(best[threadIdx.x], best[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *max = best[0];
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  max_kernel<<<1, 256>>>(x, max, n);
}
