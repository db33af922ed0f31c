// Fault: columns are processed four at a time: the last K % 4 products are left out.
#include <cuda_runtime.h>

__global__ void sgemv_kernel(const float* A, const float* x, float* y, int M, int K) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= M) return;
  const float* a = A + row * K;
  float sum = 0.0f;
  for (int k = 4 * threadIdx.x; k + 3 < K; k += 128) {
    sum += a[k] * x[k] + a[k + 1] * x[k + 1] + a[k + 2] * x[k + 2] + a[k + 3] * x[k + 3];
  }
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x == 0) y[row] = sum;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  sgemv_kernel<<<(M + 3) / 4, dim3(32, 4)>>>(A, x, y, M, K);
}
