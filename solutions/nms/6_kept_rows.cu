// Only the rows of boxes that stay are read, from a list, and several threads share a word.
//
// Rung 5 asks for each of 64 boxes whether it stayed, in eight batches of loads, one after the
// other, and 256 of its 992 threads have a word. Here the chain's warp writes a list of those that
// stay. With 256 words three groups of threads take a third of the list each, and all loads of a
// thread are in flight at once. The chain ORs the groups' words. The kernel is in kept_sweep.h.
//
// Prediction: what other warps do takes one trip to L2 per step now, 1 us, so the chain is the
// time: 24 boxes at 0.1 us, 2.6 us with the barrier. 256 steps take 670 us, with the matrix of rung
// 4 770 us. Missed by 7 %.
// Measured: 827.6 us at 16384, 2.5 % of the limit (H200, 2026-11-28)
#include "kept_sweep.h"

struct OneByOne {
  __device__ static Word or_of_lanes(Word word) {
    for (int offset = 16; offset > 0; offset /= 2) word |= __shfl_xor_sync(ALL_LANES, word, offset);
    return word;
  }

  __device__ static Word settle(Word candidates, TwoRows diagonal) {
    return ::settle(candidates, [&](int b) {
      return __shfl_sync(ALL_LANES, b < 32 ? diagonal.low : diagonal.high, b % 32);
    });
  }
};

extern "C" void nms(const float* boxes, int* keep, int n, float threshold) {
  const int words = kata::ceil_div(n, BITS);
  const Word* matrix = vote_matrix(reinterpret_cast<const float4*>(boxes), n, words, threshold);
  kept_sweep<OneByOne>(matrix, keep, n, words);
}
