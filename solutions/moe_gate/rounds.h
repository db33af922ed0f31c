#pragma once
// The k winners of one token in k rounds, by one warp, for any number of experts.
//
// Each round scans the logits in memory, mostly in L1, for the best one after the last winner.

#include "../common/float_key.h"
#include "winners.h"

#include <float.h>

constexpr unsigned ALL = 0xffffffffu;

__device__ inline void gate_by_rounds(const float* row, int experts, float* weights, int* chosen,
                                      int k) {
  Winners winners(weights, chosen, k);
  Best last = {CUDART_INF_F, -1};
  for (int r = 0; r < k; ++r) {
    Best best = no_best();
    for (int e = threadIdx.x % 32; e < experts; e += 32) {
      const Best other = {row[e], e};
      if (comes_after(last, other)) best = better(best, other);
    }
    const unsigned key = key_of(best.value + 0.0f);
    const unsigned most = __reduce_max_sync(ALL, key);
    last.index = __reduce_min_sync(ALL, key == most ? best.index : INT_MAX);
    last.value = float_of(most);
    winners.add(r, last);
  }
  winners.normalise();
}
