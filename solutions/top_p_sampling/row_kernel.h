#pragma once
// A block per row: maximum, counts, cut, sums of tiles, and a walk through one tile.

#include <kata/kata.h>

#include "../common/aligned.h"
#include "bisect.h"
#include "counts.h"
#include "find_cut.h"
#include "tiles.h"

constexpr int ROW_THREADS = 1024;

// Each thread loads ITEMS tokens before it uses the first, WIDTH with each load. COPIES counts for
// each depth.
template <int WIDTH, int ITEMS, int COPIES>
__global__ void __launch_bounds__(ROW_THREADS) row_kernel(Rows rows) {
  extern __shared__ int all_counts[];  // [DEPTHS][COPIES]
  __shared__ Tiles sums;
  const float* row = rows.row(blockIdx.x);
  const int vocab = rows.vocab, tiles = kata::ceil_div(vocab, TILE);
  Counts<COPIES> counts = {all_counts};
  counts.template clear<ROW_THREADS>();
  int largest = INT_MIN;
  for_each_pack<ROW_THREADS, WIDTH, ITEMS>(row, 0, vocab, [&](const Pack<float, WIDTH>& logits) {
    largest = max(largest, largest_step(logits));
  });
  const int most = block_max<ROW_THREADS>(largest);
  for_each_pack<ROW_THREADS, WIDTH, ITEMS>(
      row, 0, vocab, [&](const Pack<float, WIDTH>& logits) { counts.add(logits, most); });
  __syncthreads();
  const Cut cut =
      find_cut<ROW_THREADS>(rows.p[blockIdx.x], [&](int depth) { return counts[depth]; });

  sums.sum_up<ROW_THREADS, WIDTH>(row, vocab, 0, tiles, most, cut);
  const TileSum nucleus = sums.total<ROW_THREADS>(tiles);
  const float bound = rows.uniform[blockIdx.x] * nucleus.weight(cut, 0);
  const int token =
      walk_tiles<ROW_THREADS>(row, vocab, 0, tiles, sums, most, cut, 0.0f, 0, bound);
  if (threadIdx.x == 0) rows.token[blockIdx.x] = token;
}

template <int WIDTH, int ITEMS, int COPIES>
void launch_rows(const Rows& all, int rows) {
  constexpr int bytes = DEPTHS * COPIES * sizeof(int);
  if (all.vocab < SHORT_ROW) {
    bisect_kernel<FEW_THREADS><<<rows, FEW_THREADS>>>(all);
    return;
  }
  cudaFuncSetAttribute(row_kernel<WIDTH, ITEMS, COPIES>,
                       cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  row_kernel<WIDTH, ITEMS, COPIES><<<rows, ROW_THREADS, bytes>>>(all);
}

// Whether all rows begin at multiples of 16 bytes.
inline bool has_wide_rows(const Rows& all) {
  return all.vocab % 4 == 0 && is_aligned16(all.logits);
}
