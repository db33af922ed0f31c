// The matrix is in shared memory while a block factors it, left-looking: a thread per row.
//
// Left-looking subtracts all earlier columns from one column at a time: one dot product per entry,
// no intermediate results to store, and one barrier less per column. Columns lie one after the
// other, so that neighbouring threads, which have neighbouring rows, read neighbouring words; the
// row of the pivot is the same word for all. Up to n = 240 a matrix fits; larger ones are left to
// rung 2.
// The rung to reach in 30 minutes.
//
// Prediction: 4096 x 128 is 404 MB, 88 us. A thread makes n^2 / 2 = 8192 multiply-adds with two
// shared reads each; 31 matrices per SM of 4 warps are 2 million wavefronts: 1200 us.
// Measured: 72672.8 us at 640x512, 0.6 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include "right_looking.h"

constexpr int MOST = 240;
constexpr int THREADS = 128;

__global__ void __launch_bounds__(THREADS) shared_kernel(const float* A, float* L, int n) {
  extern __shared__ float columns[];  // entry (i, j) is at j * stride + i
  const int stride = n | 1;           // odd: rows of A are stored without conflicts
  A += static_cast<size_t>(blockIdx.x) * n * n;
  L += static_cast<size_t>(blockIdx.x) * n * n;
  for (int at = threadIdx.x; at < n * n; at += THREADS) {
    columns[at % n * stride + at / n] = A[at];
  }
  __syncthreads();
  for (int j = 0; j < n; ++j) {
    float* column = columns + j * stride;
    for (int i = j + threadIdx.x; i < n; i += THREADS) {
      float sum = column[i];
      for (int k = 0; k < j; ++k) sum -= columns[k * stride + i] * columns[k * stride + j];
      column[i] = sum;
    }
    __syncthreads();
    const float pivot = column[j];
    __syncthreads();  // all have read the pivot
    const float root = sqrtf(pivot), inverse = 1.0f / root;
    for (int i = j + threadIdx.x; i < n; i += THREADS) {
      column[i] = i == j ? root : column[i] * inverse;
    }
    __syncthreads();
  }
  for (int at = threadIdx.x; at < n * n; at += THREADS) {
    const int i = at / n, j = at % n;
    L[at] = j <= i ? columns[j * stride + i] : 0.0f;
  }
}

extern "C" void cholesky(const float* A, float* L, int batch, int n) {
  if (n > MOST) return launch_right_looking(A, L, batch, n);
  cudaFuncSetAttribute(shared_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       MOST * (MOST + 1) * sizeof(float));
  shared_kernel<<<batch, THREADS, n * (n | 1) * sizeof(float)>>>(A, L, n);
}
