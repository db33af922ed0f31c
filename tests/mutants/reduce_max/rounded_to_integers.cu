// Fault: the maximum is kept in an int.
#include <cuda_runtime.h>

__global__ void reduce_max_kernel(const float* x, float* max, int n) {
  __shared__ int best;
  if (threadIdx.x == 0) best = INT_MIN;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += 256) atomicMax(&best, static_cast<int>(x[i]));
  __syncthreads();
  if (threadIdx.x == 0) *max = best;
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  reduce_max_kernel<<<1, 256>>>(x, max, n);
}
