// Fault: a warp takes 32 products of its row and does not loop: K > 32 is cut off.
#include <cuda_runtime.h>

__global__ void sgemv_kernel(const float* A, const float* x, float* y, int M, int K) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y, k = threadIdx.x;
  if (row >= M) return;
  float sum = k < K ? A[row * K + k] * x[k] : 0.0f;
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (k == 0) y[row] = sum;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  sgemv_kernel<<<(M + 7) / 8, dim3(32, 8)>>>(A, x, y, M, K);
}
