// Through a copy that is allocated and freed in every call.
#include <cuda_runtime.h>

__global__ void mirror(const float* __restrict__ copy, float* __restrict__ x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    x[i] = copy[n - 1 - i];
}

extern "C" void reverse(float* x, int n) {
  float* copy = nullptr;
  cudaMallocAsync(&copy, sizeof(float) * n, 0);
  cudaMemcpyAsync(copy, x, sizeof(float) * n, cudaMemcpyDeviceToDevice, 0);
  mirror<<<64, 128>>>(copy, x, n);
  cudaFreeAsync(copy, 0);
}
