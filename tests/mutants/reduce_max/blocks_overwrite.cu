// Fault: every block stores its own maximum: that of the last one is left.
#include <cuda_runtime.h>

__global__ void reduce_max_kernel(const float* x, float* max, int n) {
  __shared__ float partial[64];
  const int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
  partial[tid] = i < n ? x[i] : -INFINITY;
  for (int step = 32; step > 0; step /= 2) {
    __syncthreads();
    if (tid < step) partial[tid] = fmaxf(partial[tid], partial[tid + step]);
  }
  if (tid == 0) atomicExch(max, partial[0]);
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  reduce_max_kernel<<<(n + 63) / 64, 64>>>(x, max, n);
}
