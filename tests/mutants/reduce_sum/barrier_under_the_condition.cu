// Fault: the barrier is inside the if, so the threads that do not add skip it.
#include <cuda_runtime.h>

__global__ void sum_kernel(const float* x, float* sum, int n) {
  __shared__ float sums[256];
  const int tid = threadIdx.x, i = blockIdx.x * 256 + tid;
  sums[tid] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (tid < s) {
      sums[tid] += sums[tid + s];
      __syncthreads();
    }
  }
  if (tid == 0) atomicAdd(sum, sums[0]);
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  cudaMemset(sum, 0, sizeof(float));
  sum_kernel<<<(n + 255) / 256, 256>>>(x, sum, n);
}
