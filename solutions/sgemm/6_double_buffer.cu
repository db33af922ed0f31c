// Double buffering: the next tiles load from memory while the block computes on the current ones.
//
// A thread issues the loads of its next float4, computes on the current tiles, and then stores the
// loaded values into the other buffer. One barrier per step is enough instead of two: no thread
// writes the buffer that is being read.
//
// Prediction: in rung 5 a block waits up to 700 ns for memory at every step, while a step's FMAs
// take 1024 clocks, 0.5 us. Only the SM's other block works meanwhile. Now the wait overlaps the
// arithmetic: a small gain at 2048 cubed, where two blocks share an SM, a large one at 1024.
// Measured: 441.1 us at 2048x2048x2048, 59 % of the limit (H200, 2026-11-24)
#include <kata/kata.h>

#include "matrix4.h"

constexpr int BM = 128, BN = 128, BK = 8;
constexpr int TM = 8, TN = 8;
constexpr int COLS = BN / TN;  // 16 x 16 threads
constexpr int THREADS = BM / TM * COLS;
constexpr int PAD = 4;
static_assert(BM * BK == 4 * THREADS && BK * BN == 4 * THREADS,
              "each thread loads one float4 of A and one of B");

template <bool VECTOR>
__global__ void __launch_bounds__(THREADS, 2)
    sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) float As[2][BK][BM + PAD];  // [stage][k][row]
  __shared__ __align__(16) float Bs[2][BK][BN];        // [stage][k][col]
  const int tid = threadIdx.x;
  const int row0 = blockIdx.y * BM;  // the block's tile of C
  const int col0 = blockIdx.x * BN;
  const int row = tid / COLS * 4;  // the thread's rows: row + {0..3} and row + BM / 2 + {0..3}
  const int col = tid % COLS * 4;
  const int row_A = tid / (BK / 4), k_A = tid % (BK / 4) * 4;  // what the thread loads
  const int k_B = tid / (BN / 4), col_B = tid % (BN / 4) * 4;

  float sum[TM][TN] = {};
  float4 a4 = load4<VECTOR>(A, row0 + row_A, k_A, M, K);
  float4 b4 = load4<VECTOR>(B, k_B, col0 + col_B, K, N);
  for (int k0 = 0, stage = 0; k0 < K; k0 += BK, stage = 1 - stage) {
    As[stage][k_A + 0][row_A] = a4.x;
    As[stage][k_A + 1][row_A] = a4.y;
    As[stage][k_A + 2][row_A] = a4.z;
    As[stage][k_A + 3][row_A] = a4.w;
    *reinterpret_cast<float4*>(&Bs[stage][k_B][col_B]) = b4;
    // One barrier per step is enough. A thread overwrites this buffer only after the next step's
    // barrier, and all threads have finished reading it before they reach that barrier.
    __syncthreads();
    a4 = load4<VECTOR>(A, row0 + row_A, k0 + BK + k_A, M, K);  // zeros past the end of K
    b4 = load4<VECTOR>(B, k0 + BK + k_B, col0 + col_B, K, N);
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
      load_shared4(a, &As[stage][k][row]);
      load_shared4(a + 4, &As[stage][k][row + BM / 2]);
      load_shared4(b, &Bs[stage][k][col]);
      load_shared4(b + 4, &Bs[stage][k][col + BN / 2]);
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += a[i] * b[j];
      }
    }
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int row_C = row0 + row + i / 4 * (BM / 2) + i % 4;
    store4<VECTOR>(C, &sum[i][0], row_C, col0 + col, M, N);
    store4<VECTOR>(C, &sum[i][4], row_C, col0 + col + BN / 2, M, N);
  }
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM));
  if (K % 4 == 0 && N % 4 == 0 && is_aligned16(A) && is_aligned16(B) && is_aligned16(C)) {
    sgemm_kernel<true><<<grid, THREADS>>>(A, B, C, M, N, K);
  } else {
    sgemm_kernel<false><<<grid, THREADS>>>(A, B, C, M, N, K);
  }
}
