// Fault: no barrier at the end of the loop: the next tiles overwrite those that others still read.
#include <cuda_runtime.h>

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[32][32], b[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int col = blockIdx.x * 32 + tx, row = blockIdx.y * 32 + ty;
  float sum = 0.0f;
  for (int k = 0; k < K; k += 32) {
    a[ty][tx] = row < M && k + tx < K ? A[row * K + k + tx] : 0.0f;
    b[ty][tx] = k + ty < K && col < N ? B[(k + ty) * N + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += a[ty][i] * b[i][tx];
  }
  if (row < M && col < N) C[row * N + col] = sum;
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid((N + 31) / 32, (M + 31) / 32);
  sgemm_kernel<<<grid, dim3(32, 32)>>>(A, B, C, M, N, K);
}
