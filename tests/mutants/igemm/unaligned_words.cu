// Fault: words of rows that begin at any byte.
#include <cuda_runtime.h>

__global__ void igemm_kernel(const signed char* A, const signed char* B, int* C, int M, int N,
                             int K) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= M || col >= N) return;
  int sum = 0;
  for (int k = 0; k + 4 <= K; k += 4) {
    sum = __dp4a(*reinterpret_cast<const int*>(A + row * K + k),
                 *reinterpret_cast<const int*>(B + col * K + k), sum);
  }
  for (int k = K / 4 * 4; k < K; ++k) sum += A[row * K + k] * B[col * K + k];
  C[row * N + col] = sum;
}

extern "C" void igemm(const signed char* A, const signed char* B, int* C, int M, int N, int K) {
  igemm_kernel<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
