// Fault: exp(gate) instead of exp(-gate).
#include <cuda_runtime.h>

__global__ void swiglu_kernel(const float* x, float* y, int outputs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= outputs) return;
  const float gate = x[i], up = x[i + outputs];
  y[i] = gate / (1.0f + expf(gate)) * up;
}

extern "C" void swiglu(const float* x, float* y, int n) {
  swiglu_kernel<<<(n / 2 + 127) / 128, 128>>>(x, y, n / 2);
}
