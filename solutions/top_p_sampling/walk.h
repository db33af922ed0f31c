#pragma once
// A walk through a row by a block: the first token whose running sum is above a bound.

#include <limits.h>

#include "../common/block_scan.h"

// Rounding may leave every running sum at or below the bound: then the last token with weight is
// the result. In shared memory, set by one thread before the walk.
struct Walk {
  int first;  // with weight, whose running sum is above the bound; none: INT_MAX
  int last;   // with weight, so far
};

__device__ inline Walk new_walk() {
  return {INT_MAX, 0};
}

__device__ inline int token_of(const Walk& walk) {
  return walk.first < INT_MAX ? walk.first : walk.last;
}

// Notes that the running sum is `running` after token `at`, which has weight w. True if it is above
// the bound.
__device__ inline bool note(Walk& walk, int at, float w, float running, float bound) {
  if (!(w > 0.0f)) return false;
  atomicMax(&walk.last, at);
  if (!(running > bound)) return false;
  atomicMin(&walk.first, at);
  return true;
}

// block_exclusive_scan, without barriers where the block is a warp.
template <int THREADS>
__device__ float exclusive_scan(float value, float& total) {
  if constexpr (THREADS > 32) return block_exclusive_scan<THREADS>(value, total);
  const float inclusive = warp_inclusive_scan(value);
  total = __shfl_sync(0xffffffffu, inclusive, 31);
  return inclusive - value;
}

// All tokens in order, THREADS at a time until one is found, which is the result. weight(v) is
// called once for each. All threads of the block call it.
template <int THREADS, class Weight>
__device__ int walk_tokens(int vocab, float bound, Weight weight) {
  __shared__ Walk walk;
  __syncthreads();  // no thread reads an earlier walk
  if (threadIdx.x == 0) walk = new_walk();
  __syncthreads();
  float before = 0.0f;
  for (int first = 0; first < vocab; first += THREADS) {
    const int v = first + threadIdx.x;
    const float w = v < vocab ? weight(v) : 0.0f;
    float total;
    const float running = before + exclusive_scan<THREADS>(w, total) + w;
    before += total;
    if (__syncthreads_or(note(walk, v, w, running, bound))) break;
  }
  return token_of(walk);
}
