// Fault: pairs of products are added in a short: two of -128 by -128 overflow.
#include <cuda_runtime.h>

__global__ void igemm_kernel(const signed char* A, const signed char* B, int* C, int M, int N,
                             int K) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= M || col >= N) return;
  int sum = 0;
  for (int k = 0; k < K; k += 2) {
    short pair = A[row * K + k] * B[col * K + k];
    if (k + 1 < K) pair += A[row * K + k + 1] * B[col * K + k + 1];
    sum += pair;
  }
  C[row * N + col] = sum;
}

extern "C" void igemm(const signed char* A, const signed char* B, int* C, int M, int N, int K) {
  igemm_kernel<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
