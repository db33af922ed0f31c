// Fault: the grid is capped at 8 blocks, and no thread takes a second output.
#include <cuda_runtime.h>

__global__ void swiglu_kernel(const float* x, float* y, int outputs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= outputs) return;
  const float gate = x[i], up = x[i + outputs];
  y[i] = gate / (1.0f + expf(-gate)) * up;
}

extern "C" void swiglu(const float* x, float* y, int n) {
  const int needed = (n / 2 + 127) / 128;
  const int grid = needed < 8 ? needed : 8;
  swiglu_kernel<<<grid, 128>>>(x, y, n / 2);
}
