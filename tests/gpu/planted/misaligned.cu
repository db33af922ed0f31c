// A float4 load that starts one float past a 16-byte boundary, as often as there is room for one.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
  if (i != 0 || n < 5) return;
  const float4 four = *reinterpret_cast<const float4*>(x + 1);
  y[1] = fmaxf(four.x, 0.0f);  // all four are used, or the compiler would load one
  y[2] = fmaxf(four.y, 0.0f);
  y[3] = fmaxf(four.z, 0.0f);
  y[4] = fmaxf(four.w, 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
