// Fault: the path for float4s covers whole tiles of 64 columns and forgets the rest.
#include <cuda_runtime.h>

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}

__global__ void sgemm_vectors(const float* A, const float4* B, float4* C, int N, int K) {
  const int vector = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y;
  float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int k = 0; k < K; ++k) {
    const float a = A[row * K + k];
    const float4 b = B[k * (N / 4) + vector];
    sum.x += a * b.x;
    sum.y += a * b.y;
    sum.z += a * b.z;
    sum.w += a * b.w;
  }
  C[row * (N / 4) + vector] = sum;
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  if (N % 4 == 0 && K % 4 == 0) {
    sgemm_vectors<<<dim3(N / 64, M), 16>>>(A, reinterpret_cast<const float4*>(B),
                                           reinterpret_cast<float4*>(C), N, K);
    return;
  }
  const dim3 grid((N + 15) / 16, (M + 15) / 16);
  sgemm_kernel<<<grid, dim3(16, 16)>>>(A, B, C, M, N, K);
}
