// Fault: a thread reads its neighbour's element from shared memory without a barrier in between.
#include <cuda_runtime.h>

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  __shared__ float tile[256];
  const int first = blockIdx.x * 256, back = 255 - threadIdx.x;
  if (first + threadIdx.x < n) tile[threadIdx.x] = x[first + threadIdx.x];
  if (first + back < n) y[first + back] = 1.0f / (1.0f + expf(-tile[back]));
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  sigmoid_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
