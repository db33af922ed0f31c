// One warp per token: each round is an argmax over (logit, index) by shuffles.
//
// The lanes read neighbouring logits. Ties need care in a tree: lane 0 does not always hold the
// lower index, so the comparison includes it (../common/best.h). After a round every lane knows the
// winner and scans for the best logit after it; winners.h keeps the winners and their softmax.
// The rung to reach in 30 minutes.
//
// Prediction: 16384 warps, 124 per SM. A round of 256 experts takes 8 loads with 10 instructions
// each and 5 shuffle steps of 8: 120 instructions, 960 in 8 rounds, 17 us of issue slots. The
// loads hit L1 from the second round on: 25 us.
// Measured: 44.9 us at 16384x256x8, 18 % of the limit (H200, 2026-11-25)
#include <kata/kata.h>

#include "winners.h"

constexpr int THREADS = 128;
constexpr int WARPS = THREADS / 32;

// The best of the warp, in all lanes.
__device__ Best warp_best_of(Best best) {
  for (int offset = 16; offset > 0; offset /= 2) {
    const Best other = {__shfl_xor_sync(0xffffffffu, best.value, offset),
                        __shfl_xor_sync(0xffffffffu, best.index, offset)};
    best = better(best, other);
  }
  return best;
}

__global__ void gate_kernel(const float* logits, float* weight, int* expert, int tokens,
                            int experts, int k) {
  const int lane = threadIdx.x % 32;
  const int token = blockIdx.x * WARPS + threadIdx.x / 32;
  if (token >= tokens) return;  // the whole warp: no shuffle misses a lane
  const float* row = logits + static_cast<size_t>(token) * experts;
  const size_t first = static_cast<size_t>(token) * k;

  Winners winners(weight + first, expert + first, k);
  Best last = {CUDART_INF_F, -1};
  for (int r = 0; r < k; ++r) {
    Best best = no_best();
    for (int e = lane; e < experts; e += 32) {
      const Best other = {row[e], e};
      if (comes_after(last, other)) best = better(best, other);
    }
    last = warp_best_of(best);
    winners.add(r, last);
  }
  winners.normalise();
}

extern "C" void moe_gate(const float* logits, float* weight, int* expert, int tokens, int experts,
                         int k) {
  gate_kernel<<<kata::ceil_div(tokens, WARPS), THREADS>>>(logits, weight, expert, tokens, experts,
                                                          k);
}
