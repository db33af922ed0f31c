#pragma once
// Part of a row by a block, with several loads of each thread under way.

#include <math.h>

#include "../common/pack.h"
#include "row.h"

// WIDTH tokens per load: 4, where all rows begin at multiples of 16 bytes, or 1. Beyond the end
// there are logits of -infinity.
template <int WIDTH>
__device__ Pack<float, WIDTH> load_logits(const float* row, int v, int end) {
  if (v < end) return load_pack<WIDTH>(row + v);
  Pack<float, WIDTH> none;
#pragma unroll
  for (int k = 0; k < WIDTH; ++k) none.at[k] = -INFINITY;
  return none;
}

// Calls use(pack) for tokens [begin, end). Each thread loads ITEMS of them before it uses the
// first.
template <int THREADS, int WIDTH, int ITEMS, class Use>
__device__ void for_each_pack(const float* row, int begin, int end, Use use) {
  constexpr int LOADS = ITEMS / WIDTH;
  for (int first = begin; first < end; first += THREADS * ITEMS) {
    Pack<float, WIDTH> packs[LOADS];
#pragma unroll
    for (int i = 0; i < LOADS; ++i) {
      packs[i] = load_logits<WIDTH>(row, first + (i * THREADS + threadIdx.x) * WIDTH, end);
    }
#pragma unroll
    for (int i = 0; i < LOADS; ++i) use(packs[i]);
  }
}

template <int WIDTH>
__device__ int largest_step(const Pack<float, WIDTH>& logits) {
  float most = logits.at[0];
#pragma unroll
  for (int k = 1; k < WIDTH; ++k) most = fmaxf(most, logits.at[k]);
  return step_of(most);
}
