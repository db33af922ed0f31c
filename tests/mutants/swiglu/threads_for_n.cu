// Fault: one thread for each of n elements, and the check is against n.
#include <cuda_runtime.h>

__global__ void swiglu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float gate = x[i], up = x[i + n / 2];
  y[i] = gate / (1.0f + expf(-gate)) * up;
}

extern "C" void swiglu(const float* x, float* y, int n) {
  swiglu_kernel<<<(n + 127) / 128, 128>>>(x, y, n);
}
