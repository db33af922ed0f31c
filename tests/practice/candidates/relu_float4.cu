// float4 with a scalar tail.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n / 4) {
    const float4 v = reinterpret_cast<const float4*>(x)[i];
    reinterpret_cast<float4*>(y)[i] =
        make_float4(fmaxf(v.x, 0), fmaxf(v.y, 0), fmaxf(v.z, 0), fmaxf(v.w, 0));
  }
  if (i < n % 4) y[n / 4 * 4 + i] = fmaxf(x[n / 4 * 4 + i], 0);
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<n / 4 / 128 + 1, 128>>>(x, y, n);
}
