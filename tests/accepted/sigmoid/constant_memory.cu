// The factors are in constant memory, set at each call; the exponential is one of base 2.
#include <cuda_runtime.h>

struct Factors {
  float log2_e, one;
};

__constant__ Factors factors;

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factors.one / (factors.one + exp2f(-x[i] * factors.log2_e));
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  const Factors values = {1.44269504f, 1.0f};
  cudaMemcpyToSymbol(factors, &values, sizeof values);
  sigmoid_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
