// Fault: a block loads 256 elements to shared memory, also where fewer are left.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  __shared__ float tile[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  tile[threadIdx.x] = x[i];
  __syncthreads();
  if (i < n) y[i] = fmaxf(tile[threadIdx.x], 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
