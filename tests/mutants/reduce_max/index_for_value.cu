// Fault: the index of the largest element is returned.
#include <cuda_runtime.h>

__global__ void reduce_max_kernel(const float* x, float* max, int n) {
  __shared__ int best[256];
  const int tid = threadIdx.x;
  best[tid] = tid < n ? tid : 0;
  for (int i = tid; i < n; i += 256) {
    if (x[i] > x[best[tid]]) best[tid] = i;
  }
  for (int step = 128; step > 0; step /= 2) {
    __syncthreads();
    if (tid < step && x[best[tid + step]] > x[best[tid]]) best[tid] = best[tid + step];
  }
  if (tid == 0) *max = best[0];
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  reduce_max_kernel<<<1, 256>>>(x, max, n);
}
