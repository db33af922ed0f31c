// Fault: an odd n is handled by starting the float2s at the second element, which is misaligned.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int first = n % 2;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) {
    const float2 v = reinterpret_cast<const float2*>(x + first)[i];
    reinterpret_cast<float2*>(y + first)[i] = make_float2(fmaxf(v.x, 0.0f), fmaxf(v.y, 0.0f));
  }
  if (first && i == 0) y[0] = fmaxf(x[0], 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<n / 512 + 1, 256>>>(x, y, n);
}
