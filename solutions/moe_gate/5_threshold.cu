// A threshold first: only a few logits can win, and one comparison each rejects the others.
//
// Take the largest logit of every lane. The k-th largest of these 32 is a bound: at least k logits
// reach it. Those that do, about 10 for k = 8, are gathered in shared memory, one per lane, and a
// candidate's rank is the number of candidates before it. Ranks below k are the result, in order.
// With more than 32 candidates (ties), more experts than registers hold, or k > 32, the rounds of
// rounds.h do the work.
//
// Prediction: with 256 experts, 8 maxima, 8 rounds of 3 instructions for the bound, 50 to gather,
// 60 to rank and 50 around it: 200 instead of 500, 6 us of comparisons at 16384 tokens. Memory
// needs 5 us and the launch 2.7 us: 9 us.
// Measured: 12.9 us at 16384x256x8, 64 % of the limit (H200, 2026-11-25)
#include <kata/kata.h>

#include "rounds.h"

constexpr int THREADS = 128;
constexpr int WARPS = THREADS / 32;

// A logit that at least k of the warp's reach, from the largest one of each lane.
__device__ float threshold(float lane_largest, int k) {
  unsigned key = key_of(lane_largest + 0.0f);
  unsigned bound = NO_KEY;
  for (int r = 0; r < k; ++r) {
    bound = __reduce_max_sync(ALL, key);
    if (key == bound) key = NO_KEY;  // equal ones leave together: the bound is lower, and right
  }
  return bound == NO_KEY ? -FLT_MAX : float_of(bound);
}

// The candidates in the lanes of the warp, count of them: stores those with a rank below k.
__device__ void store_by_rank(const Best* candidates, int count, float* weights, int* chosen,
                              int k) {
  const int lane = threadIdx.x % 32;
  const Best mine = lane < count ? candidates[lane] : no_best();
  int rank = 0;
  for (int c = 0; c < count; ++c) rank += comes_after(candidates[c], mine);
  const unsigned first = __ballot_sync(ALL, rank == 0);
  const float largest = __shfl_sync(ALL, mine.value, __ffs(first) - 1);
  const bool wins = lane < count && rank < k;
  const float exponential = wins ? expf(mine.value - largest) : 0.0f;
  float sum = exponential;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(ALL, sum, offset);
  if (!wins) return;
  weights[rank] = exponential / sum;
  chosen[rank] = mine.index;
}

template <int PER_LANE>
__global__ void gate_kernel(const float* logits, float* weight, int* expert, int tokens,
                            int experts, int k) {
  __shared__ Best candidates[WARPS][32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int token = blockIdx.x * WARPS + warp;
  if (token >= tokens) return;  // the whole warp: no reduction misses a lane
  const float* row = logits + static_cast<size_t>(token) * experts;
  const size_t first = static_cast<size_t>(token) * k;

  float held[PER_LANE];
  float largest = -CUDART_INF_F;
#pragma unroll
  for (int j = 0; j < PER_LANE; ++j) {
    const int e = lane + 32 * j;
    held[j] = e < experts ? row[e] : -CUDART_INF_F;
    largest = fmaxf(largest, held[j]);
  }
  int count = INT_MAX;
  if (experts <= 32 * PER_LANE && k <= 32) {
    const float bound = threshold(largest, k);
    count = 0;
#pragma unroll
    for (int j = 0; j < PER_LANE; ++j) {
      const bool reaches = held[j] >= bound;
      const unsigned mask = __ballot_sync(ALL, reaches);
      const int place = count + __popc(mask & ((1u << lane) - 1));
      if (reaches && place < 32) candidates[warp][place] = {held[j], lane + 32 * j};
      count += __popc(mask);
    }
    __syncwarp();
  }
  if (count <= 32) {
    store_by_rank(candidates[warp], count, weight + first, expert + first, k);
  } else {
    gate_by_rounds(row, experts, weight + first, expert + first, k);
  }
}

extern "C" void moe_gate(const float* logits, float* weight, int* expert, int tokens, int experts,
                         int k) {
  const auto kernel = experts <= 64    ? gate_kernel<2>
                      : experts <= 128 ? gate_kernel<4>
                      : experts <= 256 ? gate_kernel<8>
                                       : gate_kernel<16>;
  kernel<<<kata::ceil_div(tokens, WARPS), THREADS>>>(logits, weight, expert, tokens, experts, k);
}
