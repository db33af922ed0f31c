// Fault: the scratch copy has the size of the first call and is not grown.
#include <cuda_runtime.h>

__global__ void reverse_kernel(const float* copy, float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = copy[n - 1 - i];
}

extern "C" void reverse(float* x, int n) {
  static float* copy = nullptr;
  if (!copy) cudaMalloc(&copy, n * sizeof(float));
  cudaMemcpyAsync(copy, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
  reverse_kernel<<<(n + 255) / 256, 256>>>(copy, x, n);
}
