// Fault: threads past the end return before a barrier that the others wait at.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  __shared__ float tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  tile[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = fmaxf(tile[threadIdx.x], 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<(n + 127) / 128, 128>>>(x, y, n);
}
