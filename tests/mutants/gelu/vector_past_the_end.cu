// Fault: the bounds check covers the first element of a float4 only.
#include <cuda_runtime.h>

__device__ float gelu_of(float v) {
  return 0.5f * v * (1.0f + erff(v * 0.70710678f));
}

__global__ void gelu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i >= n) return;
  float4 v = reinterpret_cast<const float4*>(x)[i];
  v = make_float4(gelu_of(v.x), gelu_of(v.y), gelu_of(v.z), gelu_of(v.w));
  reinterpret_cast<float4*>(y)[i] = v;
}

extern "C" void gelu(const float* x, float* y, int n) {
  gelu_kernel<<<(n + 1023) / 1024, 256>>>(x, y, n);
}
