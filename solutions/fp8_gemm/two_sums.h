#pragma once
// A warpgroup's sums of a tile with two blocks of K under way, for rungs 7 and 8.

#include "clusters.h"

struct TwoSums {
  template <class Release>
  __device__ static void run(Sums& total, Memory& memory, Place<STAGES>& at, const Scales& scales,
                             Corner corner, int warpgroup, const Release& release) {
    Sums even, odd;
    Place<STAGES> next = at;  // to be started
    const auto start = [&](Sums& sums) {
      wait(&memory.full[next.stage], next.parity);
      start_block(sums, memory.stages[next.stage], warpgroup);
      next.advance();
    };
    const auto finish = [&](Sums& sums, float2 factor) {
      settle(sums);
      release(at.stage);
      promote(total, sums, factor);
      at.advance();
    };
    const auto step = [&](Sums& sums, Sums& next_sums, int block) {
      const float2 factor = scales_at(scales, corner, block);
      start(next_sums);
      wgmma_wait<1>();
      finish(sums, factor);
    };
    const auto last = [&](Sums& sums, int block) {
      const float2 factor = scales_at(scales, corner, block);
      wgmma_wait<0>();
      finish(sums, factor);
    };
    start(even);
    int block = 0;
    for (; block + 2 < scales.blocks; block += 2) {
      step(even, odd, block);
      step(odd, even, block + 1);
    }
    if (block + 2 == scales.blocks) {
      step(even, odd, block);
      last(odd, block + 1);
    } else {
      last(even, block);
    }
  }
};
