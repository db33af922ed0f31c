// Fault: n - 1 for n: the last element is never written.
#include <cuda_runtime.h>

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n - 1; i += stride) {
    y[i] = 1.0f / (1.0f + __expf(-x[i]));
  }
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  sigmoid_kernel<<<32, 128>>>(x, y, n);
}
