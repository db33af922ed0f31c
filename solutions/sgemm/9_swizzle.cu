// Tiles 16 deep in k; an XOR of A's row index avoids bank conflicts where padding no longer helps.
//
// A deeper tile halves the barriers per FMA. But a warp that stores A transposed now hits four rows
// k, k + 4, k + 8 and k + 12 at once, and no padding that keeps 16-byte alignment separates their
// banks. XOR of the row index with 8 * (k / 4) does, and needs no extra memory.
//
// Prediction: 128 barriers at 2048 cubed instead of 256. If one costs 100 clocks for the 512
// threads of an SM, 7 us of 433. 64 x 64 tiles get 4 x 4 elements per thread, which means twice the
// threads at 512 cubed.
// Measured: 419.5 us at 2048x2048x2048, 62 % of the limit (H200, 2026-11-24)
#include <kata/kata.h>

#include "warp_tile.h"

// The column of A's row `row` in row k of the tile. Groups of four rows stay together.
__device__ int swizzled(int row, int k) {
  return row ^ (k / 4 * 8);
}

template <int BM, int BN, int BK, int TM, int TN, bool VECTOR>
__global__ void __launch_bounds__(WarpTile<BM, BN, TM, TN>::THREADS, 2)
    sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  using T = WarpTile<BM, BN, TM, TN>;
  constexpr int LOADS_A = BM * BK / 4 / T::THREADS;  // float4 loads per thread and tile
  constexpr int LOADS_B = BK * BN / 4 / T::THREADS;
  static_assert(LOADS_A * 4 * T::THREADS == BM * BK && LOADS_B * 4 * T::THREADS == BK * BN, "");
  __shared__ __align__(16) float As[2][BK][BM];  // [stage][k][swizzled(row, k)]
  __shared__ __align__(16) float Bs[2][BK][BN];  // [stage][k][col]
  const int tid = threadIdx.x;
  const int row0 = blockIdx.y * BM;  // the block's tile of C
  const int col0 = blockIdx.x * BN;
  const int row = T::row(tid);  // the thread's elements within the tile
  const int col = T::col(tid);

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
      const int col_As = swizzled(row_A, k_A);
      As[stage][k_A + 0][col_As] = a4[i].x;
      As[stage][k_A + 1][col_As] = a4[i].y;
      As[stage][k_A + 2][col_As] = a4[i].z;
      As[stage][k_A + 3][col_As] = a4[i].w;
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
      for (int i = 0; i < TM; i += 4) load_shared4(a + i, &As[stage][k][swizzled(row, k) + i * 8]);
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

template <int BM, int BN, int BK, int TM, int TN, bool VECTOR>
void launch(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM));
  sgemm_kernel<BM, BN, BK, TM, TN, VECTOR>
      <<<grid, WarpTile<BM, BN, TM, TN>::THREADS>>>(A, B, C, M, N, K);
}

template <bool VECTOR>
void launch_by_shape(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int BK = VECTOR ? 16 : 8;   // scalar loads of 16 would need more than 128 registers
  constexpr long long MIN_TILES = 132;  // one for each SM
  const long long tiles = 1LL * kata::ceil_div(M, 128) * kata::ceil_div(N, 128);
  if (tiles >= MIN_TILES) {
    launch<128, 128, BK, 8, 8, VECTOR>(A, B, C, M, N, K);
  } else {
    launch<64, 64, 16, 4, 4, VECTOR>(A, B, C, M, N, K);
  }
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  if (K % 4 == 0 && N % 4 == 0 && is_aligned16(A) && is_aligned16(B) && is_aligned16(C)) {
    launch_by_shape<true>(A, B, C, M, N, K);
  } else {
    launch_by_shape<false>(A, B, C, M, N, K);
  }
}
