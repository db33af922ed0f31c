// No comparison: the sign's bit, spread over the word, clears it.
#include <cuda_runtime.h>

__global__ void relu_kernel(const int* x, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] & ~(x[i] >> 31);
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<(n + 511) / 512, 512>>>(reinterpret_cast<const int*>(x), reinterpret_cast<int*>(y),
                                        n);
}
