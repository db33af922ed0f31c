// cp.async copies tiles straight to shared memory, two or three tiles ahead.
//
// A thread starts copies (__pipeline_memcpy_async) and waits for them two or three tiles later; no
// register holds the data in between. A is copied 4 bytes at a time, because it is transposed on
// the way. If K is not a multiple of 16, the first tile is the short one, so the main loop has no
// bounds checks. Small matrices use 32 x 64 tiles.
//
// Prediction: no instruction stores a tile any more, and no warp waits for global memory. Issued
// all at once, the copies delayed the operand loads: 395 us at 2048 cubed where rung 10 takes 368.
// Spread over the tile: 365 us.
// Measured: 358.3 us at 2048x2048x2048, 73 % of the limit (H200, 2026-11-24)
#include <kata/kata.h>

#include "async_tiles.h"

template <int BM, int BN, int TM, int TN, bool VECTOR>
__global__ void __launch_bounds__(AsyncTile<BM, BN, TM, TN>::THREADS,
                                  AsyncTile<BM, BN, TM, TN>::BLOCKS_PER_SM)
    sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  using T = AsyncTile<BM, BN, TM, TN>;
  constexpr int BK = T::BK, STAGES = T::STAGES;
  extern __shared__ __align__(16) float shared[];
  float* const As = shared;                         // [STAGES][BK][PITCH_A], transposed
  float* const Bs = shared + STAGES * T::FLOATS_A;  // [STAGES][BK][BN]
  const int row0 = blockIdx.y * BM;                 // the block's tile of C
  const int col0 = blockIdx.x * BN;
  const int row = T::row(threadIdx.x);  // the thread's elements within the tile
  const int col = T::col(threadIdx.x);
  TileCopier<T, VECTOR> copier(A, B, M, N, K, row0, col0);

#pragma unroll
  for (int t = 0; t < STAGES - 1; ++t) {
    if (t < copier.tiles) copier.copy_part(As, Bs, t, t == 0, 0, 1);
    copier.next_tile();
  }

  float sum[TM][TN] = {};
  int stage = 0, fill_stage = STAGES - 1;
#pragma unroll 1
  for (int t = 0; t < copier.tiles; ++t) {
    // Past this barrier the tile is complete, and no thread reads the one before any more.
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
      load_operands<T>(a, b, As, Bs, stage, k, row, col);
      // Issue the copies gradually across the tile so that they do not delay operand loads.
      if (t + STAGES - 1 < copier.tiles) copier.copy_part(As, Bs, fill_stage, false, k, BK);
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += a[i] * b[j];
      }
    }
    copier.next_tile();
    stage = stage + 1 < STAGES ? stage + 1 : 0;
    fill_stage = fill_stage + 1 < STAGES ? fill_stage + 1 : 0;
  }

  store_squares<VECTOR>(C, sum, row0 + row, col0 + col, M, N);
}

template <int BM, int BN, int TM, int TN, bool VECTOR>
void launch(const float* A, const float* B, float* C, int M, int N, int K) {
  using T = AsyncTile<BM, BN, TM, TN>;
  cudaFuncSetAttribute(sgemm_kernel<BM, BN, TM, TN, VECTOR>,
                       cudaFuncAttributeMaxDynamicSharedMemorySize, T::SHARED_BYTES);
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM));
  sgemm_kernel<BM, BN, TM, TN, VECTOR><<<grid, T::THREADS, T::SHARED_BYTES>>>(A, B, C, M, N, K);
}

template <bool VECTOR>
void launch_by_shape(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr long long MIN_TILES = 99;  // three quarters of 132 SMs
  if constexpr (VECTOR) {
    if (tile_count(M, N, 128, 256) >= MIN_TILES)
      return launch<128, 256, 8, 16, true>(A, B, C, M, N, K);
  }
  if (tile_count(M, N, 128, 128) >= 2 * MIN_TILES) {
    launch<128, 128, 8, 8, VECTOR>(A, B, C, M, N, K);
  } else if (tile_count(M, N, 64, 128) >= MIN_TILES) {
    launch<64, 128, 8, 8, VECTOR>(A, B, C, M, N, K);
  } else {
    launch<32, 64, 4, 4, VECTOR>(A, B, C, M, N, K);
  }
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  if (K % 4 == 0 && N % 4 == 0 && is_aligned16(A) && is_aligned16(B) && is_aligned16(C)) {
    launch_by_shape<true>(A, B, C, M, N, K);
  } else {
    launch_by_shape<false>(A, B, C, M, N, K);
  }
}
