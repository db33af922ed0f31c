// Fault: the next part of x overwrites shared memory that slower warps still read.
#include <cuda_runtime.h>

__global__ void sgemv_kernel(const float* A, const float* x, float* y, int M, int K) {
  __shared__ float part[64];
  const int tid = threadIdx.x, row = blockIdx.x * 64 + tid;
  float sum = 0.0f;
  for (int first = 0; first < K; first += 64) {
    if (first + tid < K) part[tid] = x[first + tid];
    __syncthreads();
    for (int k = 0; k < 64 && first + k < K; ++k) {
      if (row < M) sum += A[row * K + first + k] * part[k];
    }
  }
  if (row < M) y[row] = sum;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  sgemv_kernel<<<(M + 63) / 64, 64>>>(A, x, y, M, K);
}
