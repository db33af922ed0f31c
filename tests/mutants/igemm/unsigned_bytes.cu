// Fault: A is read as unsigned bytes.
#include <cuda_runtime.h>

__global__ void igemm_kernel(const signed char* A, const signed char* B, int* C, int M, int N,
                             int K) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= M || col >= N) return;
  const unsigned char* a = reinterpret_cast<const unsigned char*>(A);
  int sum = 0;
  for (int k = 0; k < K; ++k) sum += a[row * K + k] * B[col * K + k];
  C[row * N + col] = sum;
}

extern "C" void igemm(const signed char* A, const signed char* B, int* C, int M, int N, int K) {
  igemm_kernel<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
