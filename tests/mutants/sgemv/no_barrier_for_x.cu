// Fault: x is staged in shared memory and read without a barrier.
#include <cuda_runtime.h>

__global__ void sgemv_kernel(const float* A, const float* x, float* y, int M, int K) {
  __shared__ float part[128];
  const int tid = threadIdx.x, row = blockIdx.x * 128 + tid;
  float sum = 0.0f;
  for (int first = 0; first < K; first += 128) {
    if (first + tid < K) part[tid] = x[first + tid];
    for (int k = 0; k < 128 && first + k < K; ++k) {
      if (row < M) sum += A[row * K + first + k] * part[k];
    }
    __syncthreads();
  }
  if (row < M) y[row] = sum;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  sgemv_kernel<<<(M + 127) / 128, 128>>>(A, x, y, M, K);
}
