// Fault: split-K adds to y, which was never set to 0.
#include <cuda_runtime.h>

__global__ void sgemv_kernel(const float* A, const float* x, float* y, int K) {
  const int row = blockIdx.x, k = blockIdx.y * 256 + threadIdx.x;
  float sum = k < K ? A[row * K + k] * x[k] : 0.0f;
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x % 32 == 0) atomicAdd(&y[row], sum);
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  sgemv_kernel<<<dim3(M, (K + 255) / 256), 256>>>(A, x, y, K);
}
