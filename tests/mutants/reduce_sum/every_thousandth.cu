// Fault: a block takes 1000 elements and leaves out the last of them.
#include <cuda_runtime.h>

__global__ void reduce_sum_kernel(const float* x, float* sum, int n) {
  const int first = 1000 * blockIdx.x, end = min(first + 999, n);
  float mine = 0.0f;
  for (int i = first + threadIdx.x; i < end; i += blockDim.x) mine += x[i];
  for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_down_sync(~0u, mine, offset);
  if (threadIdx.x == 0) atomicAdd(sum, mine);
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  cudaMemset(sum, 0, sizeof(float));
  reduce_sum_kernel<<<(n + 999) / 1000, 32>>>(x, sum, n);
}
