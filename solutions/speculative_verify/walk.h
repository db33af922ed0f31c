#pragma once
// The walk over the weights by a block: the first token whose running sum is above a bound.

#include <limits.h>

#include "../common/block_scan.h"
#include "sequence.h"

// Where the walk is. Rounding may leave every running sum at or below the bound: then the last
// token with weight is the result. In shared memory, set by one thread before the walk.
struct Walk {
  int first;  // with weight, whose running sum is above the bound; none: INT_MAX
  int last;   // with weight, so far
};

__device__ inline Walk new_walk() {
  return {INT_MAX, 0};
}

// Tokens [begin, end), a tile of THREADS at a time until one is found. `before` is the sum of all
// weights before `begin`. All threads of the block call it; there is a barrier at its end.
template <int THREADS>
__device__ void walk_tokens(const Weights& weights, int begin, int end, float before, float bound,
                            Walk& walk) {
  for (int first = begin; first < end; first += THREADS) {
    const int v = first + threadIdx.x;
    const float w = v < end ? weights[v] : 0.0f;
    float total;
    const float running = before + block_exclusive_scan<THREADS>(w, total) + w;
    if (w > 0.0f) {
      atomicMax(&walk.last, v);
      if (running > bound) atomicMin(&walk.first, v);
    }
    before += total;
    if (__syncthreads_or(w > 0.0f && running > bound)) return;
  }
}

__device__ inline int token_of(const Walk& walk) {
  return walk.first < INT_MAX ? walk.first : walk.last;
}
