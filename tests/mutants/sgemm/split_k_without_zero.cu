// Fault: the slices of K add to C, and only the first call of the program sets it to 0.
#include <cuda_runtime.h>

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = blockIdx.z; k < K; k += gridDim.z) sum += A[row * K + k] * B[k * N + col];
  atomicAdd(&C[row * N + col], sum);
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  static bool zeroed = false;
  if (!zeroed) cudaMemset(C, 0, M * N * sizeof(float));
  zeroed = true;
  const dim3 grid((N + 15) / 16, (M + 15) / 16, 4);
  sgemm_kernel<<<grid, dim3(16, 16)>>>(A, B, C, M, N, K);
}
