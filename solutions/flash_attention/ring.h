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
  int piece, head, row0, tiles;

  __device__ Work(int piece, int length, bool causal, int keys = BN) : piece(piece) {
    const int blocks = kata::ceil_div(length, BM);
    head = piece / blocks;
    row0 = (blocks - 1 - piece % blocks) * BM;
    tiles = kata::ceil_div(causal ? min(row0 + BM, length) : length, keys);
  }
};

// A warp of a consumer has read the stage.
__device__ inline void release(Barrier* empty) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) arrive(empty);
}

constexpr int NO_PIECE = -1;

// Queries have PLACES places for each consumer: round r uses place r % PLACES.
template <int DIM, int KEYS = BN, int PLACES = 1>
struct Ring {
  static constexpr int SLOTS = PLACES * CONSUMERS;
  Tile<DIM, 64> queries[SLOTS];
  Tile<DIM, KEYS> keys[STAGES], values[STAGES];
  int piece[SLOTS];  // whose queries they are
  Barrier queries_full[SLOTS], queries_empty[SLOTS];
  Barrier keys_full[STAGES], keys_empty[STAGES], values_full[STAGES], values_empty[STAGES];

  // `releases`: how many arrivals free a slot of queries.
  __device__ void init_barriers(int releases = 4) {
    if (threadIdx.x == 0) {
      for (int s = 0; s < SLOTS; ++s) {
        init(&queries_full[s], 1);
        init(&queries_empty[s], releases);
      }
      for (int s = 0; s < STAGES; ++s) {
        init(&keys_full[s], 1);
        init(&keys_empty[s], 4 * CONSUMERS);
        init(&values_full[s], 1);
        init(&values_empty[s], 4 * CONSUMERS);
      }
      fence_init();
    }
    __syncthreads();
  }

  // Where consumer w has its queries of a round, and the parity of that use.
  __device__ static int slot(int round, int w) { return round % PLACES * CONSUMERS + w; }
  __device__ static int parity(int round) { return round / PLACES % 2; }

  // One thread of the producer issues all copies. This is the block's `round`-th piece of work,
  // after `uses` tiles. The first keys come first: their stage is free before the queries are.
  __device__ void produce(const CUtensorMap& Q, const CUtensorMap& K, const CUtensorMap& V,
                          const Work& work, int round = 0, int uses = 0) {
    for (int tile = 0; tile < work.tiles; ++tile) {
      const int stage = (uses + tile) % STAGES, trip = (uses + tile) / STAGES % 2;
      wait(&keys_empty[stage], trip ^ 1);
      load_tile(keys[stage], K, tile * KEYS, work.head, &keys_full[stage]);
      for (int w = 0; w < CONSUMERS && tile == 0; ++w) {
        const int s = slot(round, w);
        wait(&queries_empty[s], parity(round) ^ 1);
        piece[s] = work.piece;
        load_tile(queries[s], Q, work.row0 + 64 * w, work.head, &queries_full[s]);
      }
      wait(&values_empty[stage], trip ^ 1);
      load_tile(values[stage], V, tile * KEYS, work.head, &values_full[stage]);
    }
  }

  // The piece whose queries have come. The lane that releases them reads it for its warp:
  // racecheck does not see that __syncwarp orders the reads of the others before the release.
  __device__ int piece_of(int s) const {
    return __shfl_sync(0xffffffffu, threadIdx.x % 32 == 0 ? piece[s] : NO_PIECE, 0);
  }

  // Tells the consumers that there is no more work.
  __device__ void finish(int round) {
    for (int w = 0; w < CONSUMERS; ++w) {
      const int s = slot(round, w);
      wait(&queries_empty[s], parity(round) ^ 1);
      piece[s] = NO_PIECE;
      arrive(&queries_full[s]);
    }
  }
};
