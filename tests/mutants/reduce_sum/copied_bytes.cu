// Fault: n bytes are copied to the staging buffer, not n floats: the rest of it is zeros.
#include <cuda_runtime.h>

__global__ void reduce_sum_kernel(const float* x, float* sum, int n) {
  float mine = 0.0f;
  for (int i = threadIdx.x; i < n; i += 32) mine += x[i];
  for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_xor_sync(~0u, mine, offset);
  if (threadIdx.x == 0) *sum = mine;
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  float* staging;
  cudaMalloc(&staging, n * sizeof(float));
  cudaMemset(staging, 0, n * sizeof(float));
  cudaMemcpy(staging, x, n, cudaMemcpyDeviceToDevice);
  reduce_sum_kernel<<<1, 32>>>(staging, sum, n);
  cudaFree(staging);
}
