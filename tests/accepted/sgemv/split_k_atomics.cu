// Split-K: each block sums a piece of a row, and atomics add the pieces in any order.
#include <cuda_runtime.h>

constexpr int piece = 512;

__global__ void zero(float* y, int M) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M) y[i] = 0.0f;
}

__global__ void pieces(const float* A, const float* x, float* y, int M, int K) {
  const int first = blockIdx.y * piece, row = blockIdx.x;  // in y a grid ends at 65535
  float sum = 0.0f;
  for (int k = first + threadIdx.x; k < min(first + piece, K); k += 32)
    sum = fmaf(A[static_cast<size_t>(row) * K + k], x[k], sum);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x == 0) atomicAdd(&y[row], sum);
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  zero<<<(M + 127) / 128, 128>>>(y, M);
  pieces<<<dim3(M, (K + piece - 1) / piece), 32>>>(A, x, y, M, K);
}
