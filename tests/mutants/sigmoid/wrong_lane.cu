// Fault: the third component of each float4 is written to the fourth, too.
#include <cuda_runtime.h>

__device__ float sigmoid_of(float x) {
  return 1.0f / (1.0f + expf(-x));
}

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 3 < n) {
    const float4 v = *reinterpret_cast<const float4*>(x + i);
    *reinterpret_cast<float4*>(y + i) =
        make_float4(sigmoid_of(v.x), sigmoid_of(v.y), sigmoid_of(v.z), sigmoid_of(v.z));
  } else {
    for (int k = i; k < n; ++k) y[k] = sigmoid_of(x[k]);
  }
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  sigmoid_kernel<<<(n + 1023) / 1024, 256>>>(x, y, n);
}
