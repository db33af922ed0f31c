// A thread for each row in blocks of 7, compensated; the products are split exactly by fma.
#include <cuda_runtime.h>

__global__ void rows_kernel(const float* A, const float* x, float* y, int M, int K) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M) return;
  float sum = 0.0f, lost = 0.0f;
  for (int k = 0; k < K; ++k) {
    const float a = A[static_cast<size_t>(row) * K + k];
    const float product = __fmul_rn(a, x[k]);
    const float rest = __fmaf_rn(a, x[k], -product);
    const float corrected = product + (rest + lost);
    const float next = sum + corrected;
    lost = corrected - (next - sum);
    sum = next;
  }
  y[row] = sum + lost;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  rows_kernel<<<(M + 6) / 7, 7>>>(A, x, y, M, K);
}
