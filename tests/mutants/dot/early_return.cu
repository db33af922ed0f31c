// Fault: threads past the end return, and are missing from the full-mask shuffle.
#include <cuda_runtime.h>

__global__ void dot_kernel(const float* a, const float* b, float* result, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = a[i] * b[i];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(result, value);
}

extern "C" void dot(const float* a, const float* b, float* result, int n) {
  cudaMemsetAsync(result, 0, sizeof(float));
  dot_kernel<<<(n + 255) / 256, 256>>>(a, b, result, n);
}
