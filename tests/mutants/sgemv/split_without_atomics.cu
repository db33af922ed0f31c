// Fault: two blocks share a row and both store to y, the second over the first.
#include <cuda_runtime.h>

__global__ void sgemv_kernel(const float* A, const float* x, float* y, int K) {
  const int row = blockIdx.x, half = (K + 1) / 2;
  const int begin = blockIdx.y * half, end = min(begin + half, K);
  float sum = 0.0f;
  for (int k = begin + threadIdx.x; k < end; k += 32) sum += A[row * K + k] * x[k];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x == 0) y[row] = sum;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  sgemv_kernel<<<dim3(M, 2), 32>>>(A, x, y, K);
}
