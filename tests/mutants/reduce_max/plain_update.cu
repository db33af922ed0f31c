// Fault: blocks read and write the maximum without an atomic: right if they run one by one.
#include <cuda_runtime.h>

__global__ void start(float* max) {
  *max = -INFINITY;
}

__global__ void reduce_max_kernel(const float* x, float* max, int n) {
  __shared__ float partial[128];
  const int tid = threadIdx.x, i = blockIdx.x * 128 + tid;
  partial[tid] = i < n ? x[i] : -INFINITY;
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (tid < step) partial[tid] = fmaxf(partial[tid], partial[tid + step]);
    __syncthreads();
  }
  if (tid == 0 && partial[0] > *max) *max = partial[0];
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  start<<<1, 1>>>(max);
  reduce_max_kernel<<<(n + 127) / 128, 128>>>(x, max, n);
}
