// Fault: the first step is done while loading, by n / 2 threads: none for n = 1.
#include <cuda_runtime.h>

__global__ void reduce_max_kernel(const float* x, float* max, int n) {
  __shared__ float partial[1024];
  const int tid = threadIdx.x, threads = blockDim.x;
  float best = x[tid];
  for (int i = tid + threads; i < n; i += threads) best = fmaxf(best, x[i]);
  partial[tid] = best;
  __syncthreads();
  if (tid > 0) return;
  for (int other = 1; other < threads; ++other) best = fmaxf(best, partial[other]);
  *max = best;
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  reduce_max_kernel<<<1, min(n / 2, 1024)>>>(x, max, n);
}
