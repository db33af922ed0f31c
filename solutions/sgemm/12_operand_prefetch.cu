// The operands of the next k load from shared memory while this k is multiplied.
//
// cp.async has freed the registers that held the next tile; they now hold the next operands. The
// prefetch goes on across the barrier between two tiles, so no FMA waits for shared memory. Copies
// are issued gradually across the tile, between the loads.
//
// Prediction: 2048 of 2240 instructions per tile are FMAs, and an outer product of registers
// reaches 85 % of the FMA peak: 0.91 * 0.85 * 65.8 = 51 TFLOP/s, 0.34 ms at 2048 cubed.
// Measured: 352.2 us at 2048x2048x2048, 74 % of the limit (H200, 2026-11-24)
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

  float a[2][TM], b[2][TN];  // operands of this k and of the next

#pragma unroll
  for (int t = 0; t < STAGES - 1; ++t) {
    if (t < copier.tiles) copier.copy_part(As, Bs, t, t == 0, 0, 1);
    copier.next_tile();
  }
  __pipeline_wait_prior(STAGES - 2);
  __syncthreads();
  load_operands<T>(a[0], b[0], As, Bs, 0, 0, row, col);

  float sum[TM][TN] = {};
  int stage = 0, fill_stage = STAGES - 1;
#pragma unroll 1
  for (int t = 0; t < copier.tiles; ++t) {
    const int next_stage = t + 1 == copier.tiles ? stage : stage + 1 < STAGES ? stage + 1 : 0;
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      const int next = (k + 1) % 2;
      // Issue the copies gradually across the tile so that they do not delay operand loads.
      if (k + 1 < BK) load_operands<T>(a[next], b[next], As, Bs, stage, k + 1, row, col);
      if (t + STAGES - 1 < copier.tiles) copier.copy_part(As, Bs, fill_stage, false, k, BK);
      if (k + 1 == BK) {
        copier.next_tile();
        // Past this barrier the next tile is complete, and no thread reads this one any more.
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        load_operands<T>(a[next], b[next], As, Bs, next_stage, 0, row, col);
      }
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += a[k % 2][i] * b[k % 2][j];
      }
    }
    stage = next_stage;
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
