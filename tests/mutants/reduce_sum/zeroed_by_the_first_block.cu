// Fault: block 0 sets the sum to 0 while other blocks add to it: right if block 0 comes first.
#include <cuda_runtime.h>

__global__ void reduce_sum_kernel(const float* x, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) *sum = 0.0f;
  __syncthreads();
  float mine = i < n ? x[i] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_down_sync(~0u, mine, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  reduce_sum_kernel<<<(n + 127) / 128, 128>>>(x, sum, n);
}
