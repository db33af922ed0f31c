// Fault: the sum is a float.
#include <cuda_runtime.h>

__global__ void igemm_kernel(const signed char* A, const signed char* B, int* C, int M, int N,
                             int K) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += static_cast<float>(A[row * K + k] * B[col * K + k]);
  C[row * N + col] = static_cast<int>(sum);
}

extern "C" void igemm(const signed char* A, const signed char* B, int* C, int M, int N, int K) {
  igemm_kernel<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
