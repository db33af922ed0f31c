// Fault: the scalar tail after the float4 loop handles at most two elements, and n % 4 may be 3.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int vectors = n / 4;
  if (i < vectors) {
    const float4 v = reinterpret_cast<const float4*>(x)[i];
    reinterpret_cast<float4*>(y)[i] =
        make_float4(fmaxf(v.x, 0), fmaxf(v.y, 0), fmaxf(v.z, 0), fmaxf(v.w, 0));
  }
  if (i < 2 && 4 * vectors + i < n) y[4 * vectors + i] = fmaxf(x[4 * vectors + i], 0);
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<n / 4 / 256 + 1, 256>>>(x, y, n);
}
