#pragma once
// The cut of a row from the number of tokens at each depth.

#include <limits.h>

#include "../common/block_scan.h"
#include "row.h"

// count(d) is the number of tokens at depth d < DEPTHS; its answers must be complete. All THREADS
// threads of the block call it. Each thread has some neighbouring depths.
template <int THREADS, class Count>
__device__ Cut find_cut(float p, Count count) {
  constexpr int PER_THREAD = DEPTHS / THREADS;
  __shared__ int first, last;  // depth: whose running weight is enough; with any token
  __shared__ Cut cut;
  if (threadIdx.x == 0) first = INT_MAX, last = 0;
  const int begin = threadIdx.x * PER_THREAD;
  int counts[PER_THREAD];
  float own = 0.0f;
#pragma unroll
  for (int i = 0; i < PER_THREAD; ++i) {
    counts[i] = count(begin + i);
    own += static_cast<float>(counts[i]) * weight_of(begin + i);
  }
  float total;
  const float before = block_exclusive_scan<THREADS>(own, total);
  const float least = p * total;

  float running = before;
#pragma unroll
  for (int i = 0; i < PER_THREAD; ++i) {
    if (counts[i] == 0) continue;
    running += static_cast<float>(counts[i]) * weight_of(begin + i);
    if (running >= least) atomicMin(&first, begin + i);
  }
  if (own > 0.0f) atomicMax(&last, begin + PER_THREAD - 1);
  __syncthreads();

  // If rounding leaves all sums below p, the cut is below the last token.
  const int depth = first < INT_MAX ? first : last;
  running = before;
#pragma unroll
  for (int i = 0; i < PER_THREAD; ++i) {
    if (begin + i == depth) cut = {depth, needed_ties(least, running, depth)};
    running += static_cast<float>(counts[i]) * weight_of(begin + i);
  }
  __syncthreads();
  return cut;
}
