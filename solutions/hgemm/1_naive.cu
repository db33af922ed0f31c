// One thread computes one element of C, with a float accumulator.
//
// The lanes of a warp share a row of A (a broadcast) and read neighbouring columns of B. Each
// multiply-add takes two loads and two conversions to float.
//
// Prediction: as sgemm's first rung, which is bound by the loads it issues, not by their width:
// 23 ms at 4096 cubed, 6 TFLOP/s, where tensor cores could do 989.
// Measured: 27731.8 us at 4096x4096x4096, 0.5 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <cuda_fp16.h>

#include <kata/kata.h>

#include "scaled.h"

__global__ void hgemm_kernel(const __half* A, const __half* B, Scaled C, int K) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= C.M || col >= C.N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += __half2float(A[static_cast<size_t>(row) * K + k]) *
           __half2float(B[static_cast<size_t>(k) * C.N + col]);
  }
  __half* const at = C.C + static_cast<size_t>(row) * C.N + col;
  *at = C.result(sum, C.beta == 0.0f ? __half() : *at);
}

extern "C" void hgemm(const __half* A, const __half* B, __half* C, int M, int N, int K, float alpha,
                      float beta) {
  const dim3 block(32, 8);
  const dim3 grid(kata::ceil_div(N, 32), kata::ceil_div(M, 8));
  hgemm_kernel<<<grid, block>>>(A, B, {C, M, N, alpha, beta}, K);
}
