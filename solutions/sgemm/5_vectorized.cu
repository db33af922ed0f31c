// float4 everywhere: A is transposed on its way to shared memory, so both operands load as float4.
//
// For one k a thread needs 8 rows of A. In a tile [k][row] these are two float4. The transposing
// store writes one float4 of A to four rows of the tile. Without padding, lanes 2r and 2r + 1 (k
// and k + 4 of one row) would use the same bank; 4 floats of padding shift the second one by 16
// banks.
//
// Prediction: 4 shared loads for 64 FMAs instead of 16. A warp-wide 16-byte load takes 4
// wavefronts, or 2 where lanes i and i + 1 read one address, as for A: 12 wavefronts per k beside
// 16 clocks of FMAs. Global loads: 2 per thread and tile instead of 8.
// Measured: 464.7 us at 2048x2048x2048, 56 % of the limit (H200, 2026-11-24)
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
  __shared__ __align__(16) float As[BK][BM + PAD];  // [k][row]
  __shared__ __align__(16) float Bs[BK][BN];        // [k][col]
  const int tid = threadIdx.x;
  const int row0 = blockIdx.y * BM;  // the block's tile of C
  const int col0 = blockIdx.x * BN;
  const int row = tid / COLS * 4;  // the thread's rows: row + {0..3} and row + BM / 2 + {0..3}
  const int col = tid % COLS * 4;
  const int row_A = tid / (BK / 4), k_A = tid % (BK / 4) * 4;  // what the thread loads
  const int k_B = tid / (BN / 4), col_B = tid % (BN / 4) * 4;

  float sum[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    const float4 a4 = load4<VECTOR>(A, row0 + row_A, k0 + k_A, M, K);
    const float4 b4 = load4<VECTOR>(B, k0 + k_B, col0 + col_B, K, N);
    As[k_A + 0][row_A] = a4.x;
    As[k_A + 1][row_A] = a4.y;
    As[k_A + 2][row_A] = a4.z;
    As[k_A + 3][row_A] = a4.w;
    *reinterpret_cast<float4*>(&Bs[k_B][col_B]) = b4;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
      load_shared4(a, &As[k][row]);
      load_shared4(a + 4, &As[k][row + BM / 2]);
      load_shared4(b, &Bs[k][col]);
      load_shared4(b + 4, &Bs[k][col + BN / 2]);
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
