// The drafts are tested side by side: each lane has one, and a vote finds the first that fails.
//
// One after the other, a test waits for the token and then for its two probabilities, and the next
// test waits for this one. The drafts after a rejection are tested for nothing, but no later.
//
// Prediction: one chain of two loads, 1.2 us, instead of four chains on average, 5 us. Everything
// else is as in rung 2: 108 us at 64 x 8 x 131072.
// Measured: 145.3 us at 64x8x131072, 13 % of the limit (H200, 2026-11-29)
#include "walk.h"

constexpr int THREADS = 1024;

__global__ void __launch_bounds__(THREADS) verify_kernel(Batch batch, int* accepted, int* token) {
  __shared__ Walk walk;
  const Sequence sequence(batch, blockIdx.x);
  const int n = sequence.vote_accepted();
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
