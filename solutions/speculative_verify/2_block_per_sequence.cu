// One block per sequence: a sum by all threads, then a walk tile by tile with a scan.
//
// The rung to reach in 30 minutes. Every thread tests the drafts itself, so nothing has to be
// passed on. In the walk a tile of 1024 tokens is scanned, and the sum of the tiles before is
// carried on; the walk ends at the tile that crosses the bound.
//
// Prediction: 64 blocks read 1 MB each at about 35 GB/s per SM, 30 us. The walk ends in the middle
// on average: 64 tiles, each with a load, a scan and three barriers, 1.2 us: 77 us. With four
// dependent tests of drafts on average, 5 us: 112 us.
// Measured: 140.8 us at 64x8x131072, 13 % of the limit (H200, 2026-11-29)
#include "walk.h"

constexpr int THREADS = 1024;

__global__ void __launch_bounds__(THREADS) verify_kernel(Batch batch, int* accepted, int* token) {
  __shared__ Walk walk;
  const Sequence sequence(batch, blockIdx.x);
  const int n = sequence.count_accepted();
  const Weights weights(sequence, n);
  float own = 0.0f;
  for (int v = threadIdx.x; v < batch.vocab; v += THREADS) own += weights[v];
  float sum;
  block_exclusive_scan<THREADS>(own, sum);
  if (threadIdx.x == 0) walk = new_walk();
  __syncthreads();
  walk_tokens<THREADS>(weights, 0, batch.vocab, 0.0f, sequence.u[batch.drafts] * sum, walk);
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
