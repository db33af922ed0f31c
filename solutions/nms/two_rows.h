#pragma once
// The 64 rows of a word in one warp: two per lane.

#include "word_steps.h"

constexpr unsigned ALL_LANES = 0xffffffffu;

// Of rows first + lane and first + lane + 32: word w of the matrix. Rows past the last are 0.
struct TwoRows {
  Word low, high;
};

__device__ inline TwoRows load_rows(const Word* matrix, int first, int w, int n, int words) {
  const int low = first + threadIdx.x % 32, high = low + 32;
  if (w >= words) return {0, 0};
  return {low < n ? matrix[static_cast<size_t>(low) * words + w] : 0,
          high < n ? matrix[static_cast<size_t>(high) * words + w] : 0};
}

// The OR of this lane's rows that are in `kept`.
__device__ inline Word or_of_own(TwoRows rows, Word kept) {
  const int lane = threadIdx.x % 32;
  return (kept >> lane & 1 ? rows.low : 0) | (kept >> (lane + 32) & 1 ? rows.high : 0);
}
