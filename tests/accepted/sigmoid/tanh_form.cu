// 0.5 + 0.5 tanh(x / 2), two elements a thread, from both ends.
#include <cuda_runtime.h>

__device__ float logistic(float v) {
  return fmaf(0.5f, tanhf(0.5f * v), 0.5f);
}

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int mirrored = n - 1 - i;
  if (i > mirrored) return;
  y[i] = logistic(x[i]);
  if (i != mirrored) y[mirrored] = logistic(x[mirrored]);
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  const int pairs = (n + 1) / 2;
  sigmoid_kernel<<<(pairs + 127) / 128, 128>>>(x, y, n);
}
