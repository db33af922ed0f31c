// Fault: no barrier between loading the tiles and using them.
#include <cuda_runtime.h>

__global__ void igemm_kernel(const signed char* A, const signed char* B, int* C, int M, int N,
                             int K) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  __shared__ signed char a[16][16], b[16][16];
  int sum = 0;
  for (int k0 = 0; k0 < K; k0 += 16) {
    const int k = k0 + threadIdx.x, row_B = blockIdx.x * 16 + threadIdx.y;
    a[threadIdx.y][threadIdx.x] = row < M && k < K ? A[row * K + k] : 0;
    b[threadIdx.y][threadIdx.x] = row_B < N && k < K ? B[row_B * K + k] : 0;
    for (int i = 0; i < 16; ++i) sum += a[threadIdx.y][i] * b[threadIdx.x][i];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}

extern "C" void igemm(const signed char* A, const signed char* B, int* C, int M, int N, int K) {
  igemm_kernel<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
