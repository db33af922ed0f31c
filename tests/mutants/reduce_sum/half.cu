// Fault: every thread accumulates in half precision.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void reduce_sum_kernel(const float* x, float* sum, int n) {
  __half mine = __float2half(0.0f);
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    mine = __hadd(mine, __float2half(x[i]));
  }
  atomicAdd(sum, __half2float(mine));
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  cudaMemset(sum, 0, sizeof(float));
  reduce_sum_kernel<<<32, 128>>>(x, sum, n);
}
