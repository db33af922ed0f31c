// Fault: the path for multiples of 4096 starts at element 1: an error of 1e-4 in a long sum.
#include <cuda_runtime.h>

__global__ void sum_any(const float* x, float* sum, int n) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) atomicAdd(sum, x[i]);
}

__global__ void sum_whole(const float* x, float* sum, int n) {
  const int tid = blockIdx.x * blockDim.x + threadIdx.x;
  float mine = 0.0f;
  for (int i = tid == 0 ? blockDim.x * gridDim.x : tid; i < n; i += gridDim.x * blockDim.x) {
    mine += x[i];
  }
  for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_down_sync(~0u, mine, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}

extern "C" void reduce_sum(const float* x, float* sum, int n) {
  cudaMemset(sum, 0, sizeof(float));
  if (n % 4096 == 0) {
    sum_whole<<<8, 256>>>(x, sum, n);
  } else {
    sum_any<<<8, 128>>>(x, sum, n);
  }
}
