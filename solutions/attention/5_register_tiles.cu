// Register tiles: each thread computes 8 x 8 scores and 8 x 8 outputs, as in sgemm.
//
// Two 16-byte loads then serve 8 FMAs each instead of one: shared memory is no longer the limit.
// register_tile.h has the layout. The weights of a tile pass through shared memory, because a
// thread computes scores of 8 keys but needs the weights of all 64.
//
// Prediction: 16 loads of 16 bytes for 256 FMAs, and each costs a warp at most two clocks of shared
// memory: 32 clocks under the 64 of the FMAs. sgemm's rung 8 with the same tile reaches 72 % of
// FFMA. But 4096 queries are only 32 blocks of 128 for 132 SMs: 65.8 / 0.7 * 132 / 32 = 390 us.
// Missed: with 32 blocks an SM has four warps, one per scheduler, and nothing hides a latency.
// sgemm has 16.
// Measured: 1008.7 us at 4096x4096x64, 6.5 % of the limit (H200, 2026-11-30)
#include <kata/kata.h>

#include "register_tile.h"

template <class T>
__global__ void __launch_bounds__(T::THREADS, 2)
    attention_kernel(const float* Q, const float* K, const float* V, float* O, int M, int N, int d,
                     float scale) {
  extern __shared__ float shared[];
  const T tile(shared);
  const int row0 = blockIdx.x * T::BM;
  load_rows<T>(tile.queries, Q, row0, T::BM, M, d, scale);

  Rows<T> rows;
  clear(rows);
  for (int first = 0; first < N; first += T::BN) {
    __syncthreads();  // the tiles before are no longer needed
    load_rows<T>(tile.keys, K, first, T::BN, N, d);
    load_rows<T>(tile.values, V, first, T::BN, N, d);
    __syncthreads();
    float score[T::TM][8] = {};
    multiply_keys(score, tile, d);
    add_scores(rows, score, tile, N - first);
    __syncwarp();  // a warp reads the weights that it has written
    add_values(rows, tile);
  }

  float factor[T::TM];
#pragma unroll
  for (int i = 0; i < T::TM; ++i) factor[i] = 1.0f / row_sum(rows, i);
  store_rows(O, rows, factor, row0, M, d);
}

template <class T>
void launch(const float* Q, const float* K, const float* V, float* O, int M, int N, int d) {
  cudaFuncSetAttribute(attention_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       T::SHARED_BYTES);
  attention_kernel<T><<<kata::ceil_div(M, T::BM), T::THREADS, T::SHARED_BYTES>>>(
      Q, K, V, O, M, N, d, 1.0f / sqrtf(d));
}

extern "C" void attention(const float* Q, const float* K, const float* V, float* O, int M, int N,
                          int d) {
  if (d <= 64) {
    launch<RegisterTile<8, 64>>(Q, K, V, O, M, N, d);
  } else if (d <= 128) {
    launch<RegisterTile<4, 128>>(Q, K, V, O, M, N, d);
  } else {
    launch<RegisterTile<4, 256>>(Q, K, V, O, M, N, d);
  }
}
