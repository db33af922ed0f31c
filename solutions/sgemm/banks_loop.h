#pragma once
// The main loop of rung 16: asynchronous copies, operands loaded ahead, products in serpentine
// order with i in the inner loop.

#include "async_tiles.h"

// sum += a b^T. b[j] stays while i runs forwards and backwards by turns, so that a[i] is also used
// twice in a row at each turn.
template <int TM, int TN>
__device__ void multiply_add(float (&sum)[TM][TN], const float (&a)[TM], const float (&b)[TN]) {
#pragma unroll
  for (int j = 0; j < TN; ++j) {
#pragma unroll
    for (int step = 0; step < TM; ++step) {
      const int i = j % 2 == 0 ? step : TM - 1 - step;
      sum[i][j] += a[i] * b[j];
    }
  }
}

// Adds A B over the k of `copier` to the thread's elements.
template <class T, bool VECTOR, int TM, int TN>
__device__ __forceinline__ void multiply_tiles(float (&sum)[TM][TN], TileCopier<T, VECTOR>& copier,
                                               float* As, float* Bs) {
  constexpr int BK = T::BK, STAGES = T::STAGES;
  const int row = T::row(threadIdx.x);  // the thread's elements within the tile
  const int col = T::col(threadIdx.x);
  float a[2][TM], b[2][TN];  // operands of this k and of the next

#pragma unroll
  for (int t = 0; t < STAGES - 1; ++t) {
    if (t < copier.tiles) copier.copy_part(As, Bs, t, t == 0, 0, 1);
    copier.next_tile();
  }
  __pipeline_wait_prior(STAGES - 2);
  __syncthreads();
  load_operands<T>(a[0], b[0], As, Bs, 0, 0, row, col);

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
      multiply_add(sum, a[k % 2], b[k % 2]);
    }
    stage = next_stage;
    fill_stage = fill_stage + 1 < STAGES ? fill_stage + 1 : 0;
  }
}
