// Fault: as many threads as whole pairs, so none for n = 1; thread 0 does the odd element.
#include <cuda_runtime.h>

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 && n % 2) y[n - 1] = 1.0f / (1.0f + expf(-x[n - 1]));
  if (i >= n / 2) return;
  y[2 * i] = 1.0f / (1.0f + expf(-x[2 * i]));
  y[2 * i + 1] = 1.0f / (1.0f + expf(-x[2 * i + 1]));
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  sigmoid_kernel<<<(n / 2 + 127) / 128, 128>>>(x, y, n);
}
