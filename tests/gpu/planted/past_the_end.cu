// Right as far as y goes, but the last block stores past its end: the guard zone notices.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = i < n ? fmaxf(x[i], 0.0f) : -1.0f;
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
