// Copies the vector into a buffer that is kept and only grows, then reads it backwards.
#include <cuda_runtime.h>

__global__ void backwards(const float* copy, float* x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = copy[n - 1 - i];
}

extern "C" void reverse(float* x, int n) {
  static float* copy = nullptr;
  static int room = 0;
  if (n > room) {
    if (copy) cudaFree(copy);
    cudaMalloc(&copy, n * sizeof(float));
    room = n;
  }
  cudaMemcpyAsync(copy, x, n * sizeof(float), cudaMemcpyDeviceToDevice, 0);
  const int grid = n > 1000 * 512 ? 1000 : (n + 511) / 512;
  backwards<<<grid, 512>>>(copy, x, n);
}
