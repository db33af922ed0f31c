// Fault: a is multiplied with itself, and b is never read.
#include <cuda_runtime.h>

__global__ void dot_kernel(const float* a, const float* b, float* result, int n) {
  float value = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    value += a[i] * a[i];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(result, value);
}

extern "C" void dot(const float* a, const float* b, float* result, int n) {
  cudaMemsetAsync(result, 0, sizeof(float));
  dot_kernel<<<min((n + 255) / 256, 64), 256>>>(a, b, result, n);
}
