#pragma once
// Persistent blocks of a producer warp and two consumers, for rungs 5 to 7.

#include <algorithm>

#include "wgmma_sums.h"

constexpr int STAGES = 6, THREADS = WARPGROUP * (CONSUMERS + 1);

// `full` ends a phase when the bytes of the stage have come, `empty` when all consumers that the
// stage goes to have read it.
struct Memory {
  Stage stages[STAGES];
  Barrier full[STAGES], empty[STAGES];

  // By one thread; a barrier must follow.
  __device__ void init_barriers(int consumers) {
    for (int s = 0; s < STAGES; ++s) {
      init(&full[s], 1);
      init(&empty[s], consumers);
    }
    fence_init();
  }
};

// A warpgroup's sums of a tile, block by block; release(stage) is called for each stage when it has
// been read. Here the additions of a block follow its products; the other warpgroup multiplies.
struct OneSum {
  template <class Release>
  __device__ static void run(Sums& total, Memory& memory, Place<STAGES>& at, const Scales& scales,
                             Corner corner, int warpgroup, const Release& release) {
    Sums sums;
    for (int block = 0; block < scales.blocks; ++block, at.advance()) {
      const float2 factor = scales_at(scales, corner, block);
      wait(&memory.full[at.stage], at.parity);
      start_block(sums, memory.stages[at.stage], warpgroup);
      wgmma_wait<0>();
      settle(sums);
      release(at.stage);
      promote(total, sums, factor);
    }
  }
};
