// Fault: a thread per pair of elements, rounded down: none if C has one element.
#include <cuda_runtime.h>

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < M * N; i += threads) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += A[i / N * K + k] * B[k * N + i % N];
    C[i] = sum;
  }
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const int pairs = M * N / 2;
  sgemm_kernel<<<(pairs + 255) / 256, 256>>>(A, B, C, M, N, K);
}
