// In double precision, rounded once.
#include <cuda_runtime.h>

__global__ void sigmoid_kernel(const float* x, float* y, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = static_cast<float>(1.0 / (1.0 + exp(-static_cast<double>(x[i]))));
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  sigmoid_kernel<<<(n + 1023) / 1024, 1024>>>(x, y, static_cast<unsigned>(n));
}
