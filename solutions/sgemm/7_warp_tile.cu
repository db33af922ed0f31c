// Warp tiles: the 32 threads of a warp cover a compact 8 x 4 arrangement instead of 2 x 16.
//
// A warp then needs 8 float4 of A and 4 of B per k instead of 2 and 16. Shared memory serves a
// 16-byte load in 2 wavefronts where lanes i and i ^ 1, or i and i ^ 2, read one address. So bit 0
// of the lane selects the column and bit 1 the row.
//
// Prediction: 4 loads of 2 wavefronts per k instead of 12, beside 16 clocks of FMAs. Missed at 2048
// cubed: the gain is small, so wavefronts were not the limit there.
// Measured: 433.6 us at 2048x2048x2048, 60 % of the limit (H200, 2026-11-24)
#include <kata/kata.h>

#include "warp_tile.h"

constexpr int BK = 8;
constexpr int PAD = 4;

template <int BM, int BN, int TM, int TN, bool VECTOR>
__global__ void __launch_bounds__(WarpTile<BM, BN, TM, TN>::THREADS, 2)
    sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  using T = WarpTile<BM, BN, TM, TN>;
  constexpr int LOADS_A = BM * BK / 4 / T::THREADS;  // float4 loads per thread and tile
  constexpr int LOADS_B = BK * BN / 4 / T::THREADS;
  static_assert(LOADS_A * 4 * T::THREADS == BM * BK && LOADS_B * 4 * T::THREADS == BK * BN, "");
  __shared__ __align__(16) float As[2][BK][BM + PAD];  // [stage][k][row]
  __shared__ __align__(16) float Bs[2][BK][BN];        // [stage][k][col]
  const int tid = threadIdx.x;
  const int lane = tid % 32;
  const int warp = tid / 32;
  const int row0 = blockIdx.y * BM;  // the block's tile of C
  const int col0 = blockIdx.x * BN;
  // The thread's elements: 4 x 4 squares, 32 rows and 16 columns apart.
  const int row = warp / T::WARPS_ACROSS * T::WM + (lane / 8 * 2 + lane / 2 % 2) * 4;
  const int col = warp % T::WARPS_ACROSS * T::WN + (lane / 4 % 2 * 2 + lane % 2) * 4;

  float4 a4[LOADS_A], b4[LOADS_B];
  const auto load_tiles = [&](int k0) {
#pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      const int i4 = tid + i * T::THREADS;
      a4[i] = load4<VECTOR>(A, row0 + i4 / (BK / 4), k0 + i4 % (BK / 4) * 4, M, K);
    }
#pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      const int i4 = tid + i * T::THREADS;
      b4[i] = load4<VECTOR>(B, k0 + i4 / (BN / 4), col0 + i4 % (BN / 4) * 4, K, N);
    }
  };
  const auto store_tiles = [&](int stage) {
#pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      const int row_A = (tid + i * T::THREADS) / (BK / 4);
      const int k_A = (tid + i * T::THREADS) % (BK / 4) * 4;
      As[stage][k_A + 0][row_A] = a4[i].x;
      As[stage][k_A + 1][row_A] = a4[i].y;
      As[stage][k_A + 2][row_A] = a4[i].z;
      As[stage][k_A + 3][row_A] = a4[i].w;
    }
#pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      const int i4 = tid + i * T::THREADS;
      *reinterpret_cast<float4*>(&Bs[stage][i4 / (BN / 4)][i4 % (BN / 4) * 4]) = b4[i];
    }
  };

  float sum[TM][TN] = {};
  load_tiles(0);
  for (int k0 = 0, stage = 0; k0 < K; k0 += BK, stage = 1 - stage) {
    store_tiles(stage);
    // One barrier per step is enough. A thread overwrites this buffer only after the next step's
    // barrier, and all threads have finished reading it before they reach that barrier.
    __syncthreads();
    load_tiles(k0 + BK);  // zeros past the end of K
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
#pragma unroll
      for (int i = 0; i < TM; i += 4) load_shared4(a + i, &As[stage][k][row + i * 8]);
#pragma unroll
      for (int j = 0; j < TN; j += 4) load_shared4(b + j, &Bs[stage][k][col + j * 4]);
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += a[i] * b[j];
      }
    }
  }

  store_squares<VECTOR>(C, sum, row0 + row, col0 + col, M, N);
}

template <bool VECTOR>
void launch(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid(kata::ceil_div(N, 128), kata::ceil_div(M, 128));
  sgemm_kernel<128, 128, 8, 8, VECTOR>
      <<<grid, WarpTile<128, 128, 8, 8>::THREADS>>>(A, B, C, M, N, K);
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  if (K % 4 == 0 && N % 4 == 0 && is_aligned16(A) && is_aligned16(B) && is_aligned16(C)) {
    launch<true>(A, B, C, M, N, K);
  } else {
    launch<false>(A, B, C, M, N, K);
  }
}
