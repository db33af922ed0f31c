// Fault: every block stores its own sum instead of adding it: one of them is left.
#include <cuda_runtime.h>

__global__ void reduce_sum_kernel(const float* x, float* sum, int n) {
  __shared__ float partial[256];
  const int tid = threadIdx.x, i = blockIdx.x * 256 + tid;
  partial[tid] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (tid < step) partial[tid] += partial[tid + step];
    __syncthreads();
  }
  if (tid == 0) *sum = partial[0];
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  reduce_sum_kernel<<<(n + 255) / 256, 256>>>(x, sum, n);
}
