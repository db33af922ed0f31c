// One thread per element, columns along y, a double accumulator.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void hgemm_kernel(const __half* A, const __half* B, __half* C, int M, int N, int K,
                             float alpha, float beta) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  double sum = 0;
  for (int k = K - 1; k >= 0; --k) {
    sum += static_cast<double>(__half2float(A[static_cast<size_t>(row) * K + k])) *
           __half2float(B[static_cast<size_t>(k) * N + col]);
  }
  double result = alpha * sum;
  __half* at = C + static_cast<size_t>(row) * N + col;
  if (beta != 0.0f) result += static_cast<double>(beta) * __half2float(*at);
  *at = __double2half(result);
}

extern "C" void hgemm(const __half* A, const __half* B, __half* C, int M, int N, int K, float alpha,
                      float beta) {
  hgemm_kernel<<<dim3((M + 31) / 32, (N + 3) / 4), dim3(32, 4)>>>(A, B, C, M, N, K, alpha, beta);
}
