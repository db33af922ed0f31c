// Fault: float4 only, and the last n % 4 products are left out.
#include <cuda_runtime.h>

__global__ void dot_kernel(const float4* a, const float4* b, float* result, int count4) {
  float value = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count4; i += gridDim.x * blockDim.x)
    value += a[i].x * b[i].x + a[i].y * b[i].y + a[i].z * b[i].z + a[i].w * b[i].w;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(result, value);
}

extern "C" void dot(const float* a, const float* b, float* result, int n) {
  cudaMemsetAsync(result, 0, sizeof(float));
  dot_kernel<<<(n + 1023) / 1024, 256>>>((const float4*)a, (const float4*)b, result, n / 4);
}
