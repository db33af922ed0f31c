// The whole matrix product by a single thread.
#include <cuda_runtime.h>

__global__ void everything(const float* A, const float* B, float* C, int M, int N, int K) {
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      float sum = 0.0f;
      for (int k = 0; k < K; ++k) sum = fmaf(A[m * K + k], B[k * N + n], sum);
      C[m * N + n] = sum;
    }
  }
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  everything<<<1, 1>>>(A, B, C, M, N, K);
}
