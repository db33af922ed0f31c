// Fault: a tree over n elements that ends with the last power of two: the rest is not scanned.
#include <cuda_runtime.h>

__global__ void add_lower(const float* from, float* to, int n, int d) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) to[i] = from[i] + (i >= d ? from[i - d] : 0.0f);
}

extern "C" void scan(const float* x, float* y, int n) {
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMemcpy(a, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
  for (int d = 1; 2 * d <= n; d *= 2) {
    add_lower<<<(n + 127) / 128, 128>>>(a, b, n, d);
    float* const swap = a;
    a = b;
    b = swap;
  }
  cudaMemcpy(y, a, n * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaFree(a);
  cudaFree(b);
}
