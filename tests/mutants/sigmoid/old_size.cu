// Fault: n is read from a __constant__ that is set only in the first call.
#include <cuda_runtime.h>

__constant__ int size;

__global__ void sigmoid_kernel(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) y[i] = 1.0f / (1.0f + expf(-x[i]));
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  static bool ready = false;
  if (!ready) cudaMemcpyToSymbol(size, &n, sizeof n);
  ready = true;
  sigmoid_kernel<<<(n + 255) / 256, 256>>>(x, y);
}
