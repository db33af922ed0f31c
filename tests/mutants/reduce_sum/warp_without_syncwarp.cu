// Fault: the last six steps run in one warp without any barrier, as was right before Volta.
#include <cuda_runtime.h>

__global__ void reduce_sum_kernel(const float* x, float* sum, int n) {
  __shared__ float partial[256];
  const int tid = threadIdx.x, i = blockIdx.x * 256 + tid;
  partial[tid] = i < n ? x[i] : 0.0f;
  __syncthreads();
  if (tid < 128) partial[tid] += partial[tid + 128];
  __syncthreads();
  if (tid < 64) partial[tid] += partial[tid + 64];
  __syncthreads();
  if (tid < 32) {
    for (int step = 32; step > 0; step /= 2) partial[tid] += partial[tid + step];
  }
  if (tid == 0) atomicAdd(sum, partial[0]);
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  cudaMemset(sum, 0, sizeof(float));
  reduce_sum_kernel<<<(n + 255) / 256, 256>>>(x, sum, n);
}
