// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void reduce_max_kernel(const float* x, float* max, int n) {
  __shared__ float partial[256];
  const int tid = threadIdx.x;
  float best = -INFINITY;
  for (int i = tid; i < n; i += 256) best = fmaxf(best, x[i]);
  partial[tid] = best;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (tid < step) partial[tid] = fmaxf(partial[tid], partial[tid + step]);
    __syncthreads();
  }
  if (tid == 0) *max = partial[0];
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  reduce_max_kernel<<<1, 256>>>(x, max, n);
}
