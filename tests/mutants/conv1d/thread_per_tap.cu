// Fault: one thread per tap: the launch fails above 1024 taps.
#include <cuda_runtime.h>

__global__ void conv1d_kernel(const float* x, const float* w, float* y, int n, int k) {
  extern __shared__ float products[];
  const int j = threadIdx.x;
  products[j] = x[blockIdx.x + j] * w[j];
  __syncthreads();
  if (j > 0) return;
  float sum = 0.0f;
  for (int t = 0; t < k; ++t) sum += products[t];
  y[blockIdx.x] = sum;
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  conv1d_kernel<<<n - k + 1, k, k * sizeof(float)>>>(x, w, y, n, k);
}
