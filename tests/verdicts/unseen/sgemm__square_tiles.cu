// The textbook kernel: 32 x 32 tiles of A and B in shared memory, one result per thread.
#include <kata/kata.h>

__global__ void tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[32][33];
  __shared__ float b[32][33];
  const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  float acc = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 32) {
    const int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
    a[threadIdx.y][threadIdx.x] = row < M && ka < K ? A[static_cast<size_t>(row) * K + ka] : 0.0f;
    b[threadIdx.y][threadIdx.x] = kb < K && col < N ? B[static_cast<size_t>(kb) * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 32; ++k) acc = fmaf(a[threadIdx.y][k], b[k][threadIdx.x], acc);
  }
  if (row < M && col < N) C[static_cast<size_t>(row) * N + col] = acc;
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  tiled<<<dim3(kata::ceil_div(N, 32), kata::ceil_div(M, 32)), dim3(32, 32)>>>(A, B, C, M, N, K);
}
