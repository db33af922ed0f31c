// exp() of nothing positive, so that nothing overflows: one form for each sign.
#include <cuda_runtime.h>

template <bool positive>
__device__ float logistic(float v) {
  const float e = expf(positive ? -v : v);
  return (positive ? 1.0f : e) / (1.0f + e);
}

__global__ void sigmoid_kernel(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = x[i] >= 0.0f ? logistic<true>(x[i]) : logistic<false>(x[i]);
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  sigmoid_kernel<<<2, 33>>>(x, y, n);
}
