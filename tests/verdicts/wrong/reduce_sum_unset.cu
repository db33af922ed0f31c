// Planted faults: no barrier between the steps of the halving, and a sum that nothing sets to 0.
#include <cuda_runtime.h>

__global__ void reduce_sum_kernel(const float* x, float* sum, int n) {
  __shared__ float partial[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  partial[threadIdx.x] = i < n ? x[i] : 0.0f;
  for (int step = 128; step > 0; step /= 2) {
    if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
  }
  if (threadIdx.x == 0) atomicAdd(sum, partial[0]);
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  reduce_sum_kernel<<<(n + 255) / 256, 256>>>(x, sum, n);
}
