#pragma once
// What the producer's warps do in rung 14: one copies the inputs, two store the outputs.
//
// Queries have two places in the ring, for this piece and the next. A consumer leaves its output in
// the place of its queries; a place is free again when the TMA unit has read the output.

#include "pieces.h"

template <int DIM, int KEYS>
struct Stream {
  Ring<DIM, KEYS, 2> ring;
  Barrier output_full[2 * CONSUMERS];  // of each slot of queries

  __device__ void init_barriers() {
    if (threadIdx.x < ring.SLOTS) init(&output_full[threadIdx.x], 4);
    ring.init_barriers(1);
  }

  // What a warp of consumer w has to do in a round, once its queries have come; NO_PIECE after the
  // last one.
  __device__ int piece_of(int round, int w) {
    const int slot = ring.slot(round, w);
    wait(&ring.queries_full[slot], ring.parity(round));
    return ring.piece_of(slot);
  }

  __device__ void copy_inputs(const CUtensorMap& Q, const CUtensorMap& K, const CUtensorMap& V,
                              unsigned* counter, int pieces, int length, bool causal) {
    int round = 0, uses = 0;
    for (int piece; (piece = next_piece(counter, pieces)) < pieces; ++round) {
      const Work work(piece, length, causal, KEYS);
      ring.produce(Q, K, V, work, round, uses);
      uses += work.tiles;
    }
    ring.finish(round);
  }

  // One thread.
  __device__ void store_outputs(const CUtensorMap& O, int w, int length, bool causal) {
    for (int round = 0;; ++round) {
      const int slot = ring.slot(round, w);
      wait(&ring.queries_full[slot], ring.parity(round));
      if (ring.piece[slot] == NO_PIECE) return;
      const Work work(ring.piece[slot], length, causal, KEYS);
      wait(&output_full[slot], ring.parity(round));
      store_tile(O, work.row0 + 64 * w, work.head, ring.queries[slot]);
      wait_stores_read<0>();
      arrive(&ring.queries_empty[slot]);
    }
  }
};
