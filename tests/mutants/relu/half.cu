// Fault: the values pass through half precision.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void relu_kernel(const float2* x, float2* y, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  const __half2 v = __float22half2_rn(x[i]);
  y[i] = __half22float2(__hmax2(v, __float2half2_rn(0.0f)));
}

__global__ void relu_last(const float* x, float* y, int n) {
  y[n - 1] = fmaxf(x[n - 1], 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  if (n > 1) relu_kernel<<<(n / 2 + 255) / 256, 256>>>((const float2*)x, (float2*)y, n / 2);
  if (n % 2) relu_last<<<1, 1>>>(x, y, n);
}
