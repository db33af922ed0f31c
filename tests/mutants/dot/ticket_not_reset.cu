// Fault: the ticket counter is not reset, so no block of a later call is the last.
#include <cuda_runtime.h>

__device__ float partials[1024];
__device__ unsigned tickets;

__global__ void dot_kernel(const float* a, const float* b, float* result, int n) {
  float value = 0.0f;
  for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * 32) value += a[i] * b[i];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  if (threadIdx.x != 0) return;
  partials[blockIdx.x] = value;
  __threadfence();
  if (atomicAdd(&tickets, 1) != gridDim.x - 1) return;
  __threadfence();
  value = 0.0f;
  for (int i = 0; i < gridDim.x; ++i) value += partials[i];
  *result = value;
}

extern "C" void dot(const float* a, const float* b, float* result, int n) {
  dot_kernel<<<min((n + 31) / 32, 200), 32>>>(a, b, result, n);
}
