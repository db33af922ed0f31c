// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void reduce_sum_kernel(const float* x, float* sum, int n) {
  __shared__ float partial[512];
  const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  partial[tid] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (tid < step) partial[tid] += partial[tid + step];
    __syncthreads();
  }
  if (tid == 0) atomicAdd(sum, partial[0]);
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  cudaMemset(sum, 0, sizeof(float));
  reduce_sum_kernel<<<(n + 255) / 256, 256>>>(x, sum, n);
}
