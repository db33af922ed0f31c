#pragma once
// The ring of tiles between a producer warp and the warpgroups that compute, for rungs 8 and later.
//
// keys_full[s] ends a phase when the bytes of stage s have come, keys_empty[s] when all warps of
// the consumers have released it; the same for values. The n-th use of a stage waits for phase n of
// "full"; the producer waits for phase n - 1 of "empty", which for n = 0 counts as ended.

#include "warpgroup_rows.h"

constexpr int CONSUMERS = 2, BM = 64 * CONSUMERS, STAGES = 2;
constexpr int THREADS = WARPGROUP * (CONSUMERS + 1);

// BM queries of a head. Those with the most keys come first.
struct Work {
  int head, row0, tiles;

  __device__ Work(int index, int length, bool causal) {
    const int blocks = kata::ceil_div(length, BM);
    head = index / blocks;
    row0 = (blocks - 1 - index % blocks) * BM;
    tiles = kata::ceil_div(causal ? min(row0 + BM, length) : length, BN);
  }
};

// A warp of a consumer has read the stage.
__device__ inline void release(Barrier* empty) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) arrive(empty);
}

template <int DIM>
struct Ring {
  Tile<DIM, 64> queries[CONSUMERS];
  Tile<DIM, BN> keys[STAGES], values[STAGES];
  Barrier queries_full, queries_empty;
  Barrier keys_full[STAGES], keys_empty[STAGES], values_full[STAGES], values_empty[STAGES];

  __device__ void init_barriers() {
    if (threadIdx.x == 0) {
      init(&queries_full, CONSUMERS);
      init(&queries_empty, 4 * CONSUMERS);
      for (int s = 0; s < STAGES; ++s) {
        init(&keys_full[s], 1);
        init(&keys_empty[s], 4 * CONSUMERS);
        init(&values_full[s], 1);
        init(&values_empty[s], 4 * CONSUMERS);
      }
    }
    __syncthreads();
  }

  // One thread of the producer issues all copies. This is the block's `round`-th piece of work,
  // after `uses` tiles.
  __device__ void produce(const CUtensorMap& Q, const CUtensorMap& K, const CUtensorMap& V,
                          const Work& work, int round = 0, int uses = 0) {
    wait(&queries_empty, round % 2 ^ 1);
    for (int w = 0; w < CONSUMERS; ++w) {
      load_tile(queries[w], Q, work.row0 + 64 * w, work.head, &queries_full);
    }
    for (int tile = 0; tile < work.tiles; ++tile) {
      const int stage = (uses + tile) % STAGES, parity = (uses + tile) / STAGES % 2 ^ 1;
      wait(&keys_empty[stage], parity);
      load_tile(keys[stage], K, tile * BN, work.head, &keys_full[stage]);
      wait(&values_empty[stage], parity);
      load_tile(values[stage], V, tile * BN, work.head, &values_full[stage]);
    }
  }
};
