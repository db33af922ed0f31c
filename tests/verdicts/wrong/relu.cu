// Planted fault: whole float4s alone are handled, so the last n % 4 elements are never written.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float4* x, float4* y, int vectors) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= vectors) return;
  const float4 v = x[i];
  y[i] = make_float4(fmaxf(v.x, 0.f), fmaxf(v.y, 0.f), fmaxf(v.z, 0.f), fmaxf(v.w, 0.f));
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<(n / 4 + 255) / 256 + 1, 256>>>(reinterpret_cast<const float4*>(x),
                                                reinterpret_cast<float4*>(y), n / 4);
}
