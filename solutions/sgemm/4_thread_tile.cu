// Each thread computes 8 x 8 elements as a sum of outer products: 16 shared loads for 64 FMAs.
//
// For each k a thread loads 8 floats of A and 8 of B into registers and multiplies all pairs. Its
// rows and its columns are 16 apart, so 16 neighbouring threads read 16 consecutive floats of B
// (no bank conflict) and write consecutive floats of C. The rung to reach in 30 minutes.
//
// Prediction: a warp's 64 FMAs take 16 clocks of the SM's four pipes, and its 16 loads take 16
// clocks of shared memory. Full overlap would give 65 TFLOP/s, no overlap half of that: 0.26 to
// 0.53 ms at 2048 cubed. Missed: address arithmetic, bounds checks and barriers were not counted.
// At 1024 cubed 64 blocks leave half of the SMs idle: slower than rung 3, until rung 8.
// Measured: 679.7 us at 2048x2048x2048, 38 % of the limit (H200, 2026-11-24)
#include <kata/kata.h>

constexpr int BM = 128, BN = 128, BK = 8;
constexpr int TM = 8, TN = 8;
constexpr int ROWS = BM / TM, COLS = BN / TN;  // 16 x 16 threads
constexpr int THREADS = ROWS * COLS;

__global__ void __launch_bounds__(THREADS, 2)
    sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[BM][BK];
  __shared__ float Bs[BK][BN];
  const int tid = threadIdx.x;
  const int row0 = blockIdx.y * BM;  // the block's tile of C
  const int col0 = blockIdx.x * BN;
  const int row = tid / COLS;  // the thread's elements within the tile: row + i * ROWS
  const int col = tid % COLS;

  float sum[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
    for (int i = tid; i < BM * BK; i += THREADS) {
      const int row_A = row0 + i / BK, k_A = k0 + i % BK;
      As[i / BK][i % BK] = row_A < M && k_A < K ? A[static_cast<size_t>(row_A) * K + k_A] : 0.0f;
    }
#pragma unroll
    for (int i = tid; i < BK * BN; i += THREADS) {
      const int k_B = k0 + i / BN, col_B = col0 + i % BN;
      Bs[i / BN][i % BN] = k_B < K && col_B < N ? B[static_cast<size_t>(k_B) * N + col_B] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) a[i] = As[row + i * ROWS][k];
#pragma unroll
      for (int j = 0; j < TN; ++j) b[j] = Bs[k][col + j * COLS];
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      const int row_C = row0 + row + i * ROWS, col_C = col0 + col + j * COLS;
      if (row_C < M && col_C < N) C[static_cast<size_t>(row_C) * N + col_C] = sum[i][j];
    }
  }
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM));
  sgemm_kernel<<<grid, THREADS>>>(A, B, C, M, N, K);
}
