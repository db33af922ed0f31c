// Fault: gate and up are read from neighbouring elements, not from two halves.
#include <cuda_runtime.h>

__global__ void swiglu_kernel(const float* x, float* y, int outputs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= outputs) return;
  const float gate = x[2 * i], up = x[2 * i + 1];
  y[i] = gate / (1.0f + expf(-gate)) * up;
}

extern "C" void swiglu(const float* x, float* y, int n) {
  swiglu_kernel<<<(n / 2 + 127) / 128, 128>>>(x, y, n / 2);
}
