// Fault: only float4: the last n % 4 elements are left out.
#include <cuda_runtime.h>

__global__ void reduce_sum_kernel(const float4* x, float* sum, int vectors) {
  float mine = 0.0f;
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += stride) {
    const float4 v = x[i];
    mine += (v.x + v.y) + (v.z + v.w);
  }
  for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_down_sync(~0u, mine, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  cudaMemset(sum, 0, sizeof(float));
  reduce_sum_kernel<<<16, 256>>>(reinterpret_cast<const float4*>(x), sum, n / 4);
}
