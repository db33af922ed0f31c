// The sum pass keeps a sum per tile of 2048 tokens, and the walk reads one tile only.
//
// A block adds up a tile at a time and leaves the sums in shared memory, at most 128 of them. The
// walk over these sums finds the tile in which the bound is crossed; a second walk goes over the
// tile's tokens.
//
// Prediction: the second reading of the rows and nearly all scans disappear. What remains is a
// pass of 64 SMs over 1 MB each, with a sum over the block for each of 64 tiles: 40 us at 64 x 8 x
// 131072. Missed: 92 us, 1.4 us per tile. A tile's loads wait for the barriers of the tile before,
// so that memory is idle meanwhile (14 % of its bandwidth).
// Measured: 91.8 us at 64x8x131072, 20 % of the limit (H200, 2026-11-29)
#include "tiles.h"
#include "walk.h"

constexpr int THREADS = 1024;

__global__ void __launch_bounds__(THREADS) verify_kernel(Batch batch, int* accepted, int* token) {
  __shared__ Walk walk;
  __shared__ float sums[MOST_TILES];
  const Sequence sequence(batch, blockIdx.x);
  const int n = sequence.vote_accepted();
  const Weights weights(sequence, n);
  const int tiles = kata::ceil_div(batch.vocab, TILE);
  for (int tile = 0; tile < tiles; ++tile) {
    const float sum = tile_sum<THREADS>(weights, tile, batch.vocab);
    if (threadIdx.x == 0) sums[tile] = sum;
  }
  if (threadIdx.x == 0) walk = new_walk();
  __syncthreads();
  walk_tile<THREADS>(weights, sums, tiles, batch.vocab, sequence.u[batch.drafts], walk);
  if (threadIdx.x == 0) {
    accepted[blockIdx.x] = n;
    token[blockIdx.x] = token_of(walk);
  }
}

extern "C" void speculative_verify(const int* draft_tokens, const float* draft_probs,
                                   const float* target_probs, const float* uniform, int* accepted,
                                   int* token, int batch, int drafts, int vocab) {
  const Batch all = {draft_tokens, draft_probs, target_probs, uniform, drafts, vocab};
  verify_kernel<<<batch, THREADS>>>(all, accepted, token);
}
