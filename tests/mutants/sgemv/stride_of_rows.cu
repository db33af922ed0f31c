// Fault: the row stride is M instead of K: correct only for square matrices.
#include <cuda_runtime.h>

__global__ void sgemv_kernel(const float* A, const float* x, float* y, int M, int K) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= M) return;
  float sum = 0.0f;
  for (int k = threadIdx.x; k < K; k += 32) sum += A[row * M + k] * x[k];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(~0u, sum, o);
  if (threadIdx.x == 0) y[row] = sum;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  sgemv_kernel<<<(M + 3) / 4, dim3(32, 4)>>>(A, x, y, M, K);
}
