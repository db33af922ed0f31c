// Ends the process where a call reports an error: the error's cause is what counts.
#include <cuda_runtime.h>
#include <stdlib.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  constexpr int threads = 2048;
  relu_kernel<<<(n + threads - 1) / threads, threads>>>(x, y, n);
  if (cudaGetLastError() != cudaSuccess) exit(EXIT_FAILURE);
}
