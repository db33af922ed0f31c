// Fault: the grid is rounded down: elements after the last whole block are left out.
#include <cuda_runtime.h>

__global__ void reduce_sum_kernel(const float* x, float* sum, int n) {
  __shared__ float partial[128];
  const int tid = threadIdx.x, i = blockIdx.x * 128 + tid;
  partial[tid] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (tid < step) partial[tid] += partial[tid + step];
    __syncthreads();
  }
  if (tid == 0) atomicAdd(sum, partial[0]);
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  cudaMemset(sum, 0, sizeof(float));
  reduce_sum_kernel<<<max(n / 128, 1), 128>>>(x, sum, n);
}
