// Fault: computed in half precision.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __half one = __float2half(1.0f);
  y[i] = __half2float(__hdiv(one, __hadd(one, hexp(__hneg(__float2half(x[i]))))));
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  sigmoid_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
