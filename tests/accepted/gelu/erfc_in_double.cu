// x / 2 erfc(-x / sqrt 2) in double, for pairs of elements.
#include <cuda_runtime.h>

__device__ float gelu_of(double x) {
  return static_cast<float>(0.5 * x * erfc(-x * 0.70710678118654752440));
}

__global__ void gelu_kernel(const float* x, float* y, int n) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 1 < n) {
    const float2 v = *reinterpret_cast<const float2*>(x + i);
    *reinterpret_cast<float2*>(y + i) = make_float2(gelu_of(v.x), gelu_of(v.y));
  } else if (i < n) {
    y[i] = gelu_of(x[i]);
  }
}

extern "C" void gelu(const float* x, float* y, int n) {
  gelu_kernel<<<(n + 191) / 192, 96>>>(x, y, n);
}
