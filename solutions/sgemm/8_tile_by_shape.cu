// Smaller tiles for small matrices: 64 x 64 where 128 x 128 would leave SMs without a block.
//
// 512 x 512 is 16 tiles of 128 x 128 for 132 SMs, and 1024 x 1024 is 64. A smaller tile reads more
// bytes per FMA, but an idle SM computes nothing. The host chooses: large tiles if they fill half
// of the places for blocks, else small ones.
//
// Prediction: at 512 cubed 64 blocks work instead of 16: up to 4 times as fast. At 1024 cubed 256
// blocks of a quarter of the work, two on an SM at a time: up to 2 times. No change from 1536 on.
// Measured: 37.1 us at 512x512x512, 13 % of the limit (H200, 2026-11-24)
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

template <int BM, int BN, int TM, int TN, bool VECTOR>
void launch(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM));
  sgemm_kernel<BM, BN, TM, TN, VECTOR>
      <<<grid, WarpTile<BM, BN, TM, TN>::THREADS>>>(A, B, C, M, N, K);
}

template <bool VECTOR>
void launch_by_shape(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr long long RESIDENT_BLOCKS = 264;  // 2 blocks on each of 132 SMs
  const long long large_tiles = 1LL * kata::ceil_div(M, 128) * kata::ceil_div(N, 128);
  if (large_tiles >= RESIDENT_BLOCKS / 2) {
    launch<128, 128, 8, 8, VECTOR>(A, B, C, M, N, K);
  } else {
    launch<64, 64, 4, 8, VECTOR>(A, B, C, M, N, K);
  }
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  if (K % 4 == 0 && N % 4 == 0 && is_aligned16(A) && is_aligned16(B) && is_aligned16(C)) {
    launch_by_shape<true>(A, B, C, M, N, K);
  } else {
    launch_by_shape<false>(A, B, C, M, N, K);
  }
}
