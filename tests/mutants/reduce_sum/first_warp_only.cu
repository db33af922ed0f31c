// Fault: each block adds only the result of its first warp.
#include <cuda_runtime.h>

__global__ void reduce_sum_kernel(const float* x, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float mine = i < n ? x[i] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_down_sync(~0u, mine, offset);
  if (threadIdx.x == 0) atomicAdd(sum, mine);
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  cudaMemset(sum, 0, sizeof(float));
  reduce_sum_kernel<<<(n + 255) / 256, 256>>>(x, sum, n);
}
