// Fault: no barrier between the load to shared memory and the first step of the halving.
#include <cuda_runtime.h>

__global__ void reduce_sum_kernel(const float* x, float* sum, int n) {
  extern __shared__ float partial[];
  const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  partial[tid] = i < n ? x[i] : 0.0f;
  for (int step = blockDim.x / 2; step > 0; step >>= 1) {
    if (tid < step) partial[tid] += partial[tid + step];
    __syncthreads();
  }
  if (tid == 0) atomicAdd(sum, partial[0]);
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  cudaMemset(sum, 0, sizeof(float));
  reduce_sum_kernel<<<(n + 511) / 512, 512, 512 * sizeof(float)>>>(x, sum, n);
}
