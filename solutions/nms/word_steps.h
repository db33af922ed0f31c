#pragma once
// What the sweeps over 64 boxes at a time share.

#include <cuda_runtime.h>

#include "bit_matrix.h"

// The lowest `count` bits, 1 to 64 of them.
__device__ inline Word low_bits(int count) {
  return ~0ull >> (BITS - count);
}

// Which of 64 boxes stay, one after the other: the first candidate does, and takes with it those
// that it overlaps. diagonal(b) has the later boxes of the word that box b overlaps. There is a
// step for each box that stays, not for each box.
template <class Diagonal>
__device__ Word settle(Word candidates, const Diagonal& diagonal) {
  Word kept = 0;
  while (candidates) {
    const int b = __ffsll(static_cast<long long>(candidates)) - 1;
    kept |= 1ull << b;
    candidates &= ~(diagonal(b) | 1ull << b);
  }
  return kept;
}
