// A block per tile, not per sequence: all SMs read, and a second kernel walks.
//
// Each block finds the number of accepted drafts for itself, which costs it one chain of two
// loads, and stores its tile's sum in scratch memory. The second kernel has a block per sequence,
// which walks over at most 128 sums and then over one tile.
//
// Prediction: 64 x 64 blocks of 256 threads fill all SMs, each thread with 16 loads under way. The
// rows that are needed are 67 MB, 18 us at read speed; the votes add 2 us and the second kernel 4:
// 24 us at 64 x 8 x 131072. Missed: 27 us for the first kernel, whose four waves of blocks each wait
// for the votes, and 10 for the second, which waits for its loads.
// Measured: 37.6 us at 64x8x131072, 49 % of the limit (H200, 2026-11-29)
#include "../common/scratch.h"
#include "tiles.h"

constexpr int THREADS = 256;

__global__ void __launch_bounds__(THREADS) sum_kernel(Batch batch, float* sums, int tiles) {
  const int s = blockIdx.x / tiles, tile = blockIdx.x % tiles;
  const Sequence sequence(batch, s);
  const Weights weights(sequence, sequence.vote_accepted());
  const float sum = tile_sum<THREADS>(weights, tile, batch.vocab);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(THREADS)
    walk_kernel(Batch batch, const float* sums, int* accepted, int* token, int tiles) {
  __shared__ Walk walk;
  const Sequence sequence(batch, blockIdx.x);
  const int n = sequence.vote_accepted();
  if (threadIdx.x == 0) walk = new_walk();
  __syncthreads();
  walk_tile<THREADS>(Weights(sequence, n), sums + static_cast<size_t>(blockIdx.x) * tiles, tiles,
                     batch.vocab, sequence.u[batch.drafts], walk);
  if (threadIdx.x == 0) {
    accepted[blockIdx.x] = n;
    token[blockIdx.x] = token_of(walk);
  }
}

extern "C" void speculative_verify(const int* draft_tokens, const float* draft_probs,
                                   const float* target_probs, const float* uniform, int* accepted,
                                   int* token, int batch, int drafts, int vocab) {
  static Scratch<float> scratch;
  const Batch all = {draft_tokens, draft_probs, target_probs, uniform, drafts, vocab};
  const int tiles = kata::ceil_div(vocab, TILE);
  float* sums = scratch.get(static_cast<size_t>(batch) * tiles);
  sum_kernel<<<batch * tiles, THREADS>>>(all, sums, tiles);
  walk_kernel<<<batch, THREADS>>>(all, sums, accepted, token, tiles);
}
