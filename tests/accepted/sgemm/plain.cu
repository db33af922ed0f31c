// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[16][16], b[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  float sum = 0.0f;
  for (int k = 0; k < K; k += 16) {
    a[ty][tx] = row < M && k + tx < K ? A[row * K + k + tx] : 0.0f;
    b[ty][tx] = k + ty < K && col < N ? B[(k + ty) * N + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += a[ty][i] * b[i][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid((N + 15) / 16, (M + 15) / 16);
  sgemm_kernel<<<grid, dim3(16, 16)>>>(A, B, C, M, N, K);
}
