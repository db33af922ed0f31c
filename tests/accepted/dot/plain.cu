// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void dot_kernel(const float* a, const float* b, float* result, int n) {
  float value = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    value += a[i] * b[i];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(result, value);
}

extern "C" void dot(const float* a, const float* b, float* result, int n) {
  cudaMemsetAsync(result, 0, sizeof(float));
  dot_kernel<<<(n + 1023) / 1024, 256>>>(a, b, result, n);
}
