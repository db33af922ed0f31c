// A namespace and a function that have a library's name are none.
#include <cuda_runtime.h>

namespace cub {
__device__ float positive(float v) {
  return v > 0.0f ? v : 0.0f;
}
}  // namespace cub

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = cub::positive(x[i]);
}

void cublasLike(const float* x, float* y, int n) {
  relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}

extern "C" void relu(const float* x, float* y, int n) {
  cublasLike(x, y, n);
}
