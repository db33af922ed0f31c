// Fault: the larger value is chosen by a comparison with a variable that has no value yet.
#include <kata/kata.h>

__global__ void max_kernel(const float* x, float* max, int n) {
  __shared__ float best[128];
  float largest;
  for (int i = threadIdx.x; i < n; i += blockDim.x) largest = x[i] > largest ? x[i] : largest;
  best[threadIdx.x] = largest;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) best[threadIdx.x] = fmaxf(best[threadIdx.x], best[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *max = best[0];
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  max_kernel<<<1, 128>>>(x, max, n);
}
