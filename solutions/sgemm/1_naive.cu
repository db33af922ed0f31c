// One thread computes one element of C: a row of A times a column of B, read from global memory.
//
// threadIdx.x runs along the row of C. A warp then reads 32 consecutive floats of B (4 sectors)
// and one float of A that all lanes share (1 sector). With x and y swapped it would read 32 rows
// of A.
//
// Prediction: two loads per FMA. An SM can start one warp-wide load and four warp-wide FMAs per
// clock, so at most 1/8 of the arithmetic peak is used: 8 of 65 TFLOP/s, or 2.1 ms at 2048 cubed,
// if L1 and L2 never make it wait. Without caches it would read 2 M N K * 4 bytes.
// Measured: 2633.9 us at 2048x2048x2048, 9.9 % of the limit (H200, 2026-11-24)
#include <kata/kata.h>

constexpr int TILE = 32;  // block side; gridDim.y is at most 65535, so M is at most 2 million

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  const int col = blockIdx.x * TILE + threadIdx.x;
  const int row = blockIdx.y * TILE + threadIdx.y;
  if (row >= M || col >= N) return;  // no barrier follows
  const float* row_A = A + static_cast<size_t>(row) * K;
  const float* col_B = B + col;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += row_A[k] * col_B[static_cast<size_t>(k) * N];
  C[static_cast<size_t>(row) * N + col] = sum;
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 block(TILE, TILE);
  const dim3 grid(kata::ceil_div(N, TILE), kata::ceil_div(M, TILE));
  sgemm_kernel<<<grid, block>>>(A, B, C, M, N, K);
}
