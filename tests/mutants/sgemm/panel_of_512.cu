// Fault: a row of A is kept in shared memory for 512 elements: the others are left out.
#include <cuda_runtime.h>

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int N, int K) {
  __shared__ float panel[512];
  const int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x, kept = min(K, 512);
  for (int k = threadIdx.x; k < kept; k += blockDim.x) panel[k] = A[row * K + k];
  __syncthreads();
  if (col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < kept; ++k) sum += panel[k] * B[k * N + col];
  C[row * N + col] = sum;
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  sgemm_kernel<<<dim3((N + 127) / 128, M), 128>>>(A, B, C, N, K);
}
