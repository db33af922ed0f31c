// Fault: four outputs at a time: the last n / 2 % 4 are never written.
#include <cuda_runtime.h>

__device__ float product(float gate, float up) {
  return gate / (1.0f + expf(-gate)) * up;
}

__global__ void swiglu_kernel(const float* x, float* y, int outputs) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 3 >= outputs) return;
  for (int k = i; k < i + 4; ++k) y[k] = product(x[k], x[k + outputs]);
}

extern "C" void swiglu(const float* x, float* y, int n) {
  swiglu_kernel<<<(n / 2 + 511) / 512, 128>>>(x, y, n / 2);
}
