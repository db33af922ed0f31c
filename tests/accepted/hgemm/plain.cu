// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void hgemm_kernel(const __half* A, const __half* B, __half* C, int M, int N, int K,
                             float alpha, float beta) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += __half2float(A[row * K + k]) * __half2float(B[k * N + col]);
  }
  const float old = beta == 0.0f ? 0.0f : __half2float(C[row * N + col]);
  C[row * N + col] = __float2half(alpha * sum + beta * old);
}

extern "C" void hgemm(const __half* A, const __half* B, __half* C, int M, int N, int K, float alpha,
                      float beta) {
  hgemm_kernel<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K, alpha, beta);
}
