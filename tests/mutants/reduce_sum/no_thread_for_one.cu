// Fault: half as many threads as elements, rounded down: none at all for n = 1.
#include <cuda_runtime.h>

__global__ void reduce_sum_kernel(const float* x, float* sum, int n) {
  float mine = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) mine += x[i];
  atomicAdd(sum, mine);
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  const int threads = n / 2 < 1024 ? n / 2 : 1024;
  cudaMemset(sum, 0, sizeof(float));
  reduce_sum_kernel<<<1, threads>>>(x, sum, n);
}
