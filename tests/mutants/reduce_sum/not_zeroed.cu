// Fault: the blocks add to a sum that was never set to 0.
#include <cuda_runtime.h>

__global__ void reduce_sum_kernel(const float* x, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, x[i]);
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  reduce_sum_kernel<<<(n + 255) / 256, 256>>>(x, sum, n);
}
