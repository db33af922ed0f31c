// B is transposed into scratch memory first; then both are read along rows, four sums at a time.
#include <cuda_runtime.h>

__global__ void transpose(const float* B, float* Bt, int N, int K) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < K * N; i += gridDim.x * blockDim.x)
    Bt[i % N * K + i / N] = B[i];
}

__global__ void rows_by_rows(const float* A, const float* Bt, float* C, int M, int N, int K) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= M * N) return;
  const float *a = A + i / N * K, *b = Bt + i % N * K;
  float sum[4] = {};
  for (int k = 0; k < K; ++k) sum[k % 4] += a[k] * b[k];
  C[i] = (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  float* Bt = nullptr;
  if (cudaMalloc(&Bt, sizeof(float) * N * K) != cudaSuccess) return;
  transpose<<<8, 256>>>(B, Bt, N, K);
  rows_by_rows<<<(M * N + 127) / 128, 128>>>(A, Bt, C, M, N, K);
  cudaFree(Bt);
}
