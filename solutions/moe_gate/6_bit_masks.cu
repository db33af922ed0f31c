// Fewer instructions per token: a bit mask per lane instead of ballots, one comparison per rank.
//
// A lane keeps a bit for each of its logits that reaches the bound. The lanes pass one bit each
// per round, so the candidates are gathered in about 3 ballots instead of 8. A rank counts the
// larger candidates, four per load. Equal logits get equal ranks, which one reduction of bits
// finds; only then a slower loop looks at the experts. So many ties cost more than in rung 5.
//
// Prediction: 165 instructions per token with 256 experts instead of 300: 11.0 us on an H200. A
// trial for 256 experts alone took 11.4 us on an H100, where rung 5 took 12.6 and a read 9.3. If
// all tokens have ties: 16.0 us, rung 5 14.8.
// Measured: 11.7 us at 16384x256x8, 70 % of the limit (H200, 2026-11-25)
#include <kata/kata.h>

#include "../common/row_groups.h"
#include "rounds.h"

constexpr int THREADS = 128;
constexpr int WARPS = THREADS / 32;

struct Candidates {  // of a token
  float4 values[8];  // 32, four per load
  int experts[32];
};

// How many of the `count` candidates come before this lane's, which is `mine`.
__device__ int rank_of(Best mine, const Candidates& candidates, int count) {
  const int lane = threadIdx.x % 32;
  int rank = 0;
  for (int c = 0; 4 * c < count; ++c) {
    const float4 other = candidates.values[c];
    rank += (other.x > mine.value) + (other.y > mine.value) + (other.z > mine.value) +
            (other.w > mine.value);
  }
  const unsigned ranks = __reduce_or_sync(ALL, lane < count ? 1u << rank : 0u);
  if (ranks == ALL >> (32 - count)) return rank;  // no two are equal
  const float* values = reinterpret_cast<const float*>(candidates.values);
  rank = 0;
  for (int c = 0; c < count; ++c) rank += comes_after({values[c], candidates.experts[c]}, mine);
  return rank;
}

template <int GROUPS, bool VECTOR>
__global__ void __launch_bounds__(THREADS)
    gate_kernel(const float* __restrict__ logits, float* __restrict__ weight,
                int* __restrict__ expert, int tokens, int experts, int k) {
  __shared__ Candidates of_warps[WARPS];
  const int lane = threadIdx.x % 32;
  const int token = blockIdx.x * WARPS + threadIdx.x / 32;
  if (token >= tokens) return;  // the whole warp: no reduction misses a lane
  const float* row = logits + static_cast<size_t>(token) * experts;
  float* weights = weight + static_cast<size_t>(token) * k;
  int* chosen = expert + static_cast<size_t>(token) * k;

  Vec4 held[GROUPS];
  float largest = -CUDART_INF_F;
#pragma unroll
  for (int i = 0; i < GROUPS; ++i) {
    held[i] = load_group<32, VECTOR>(row, 128 * i, experts);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (!in_row<32, VECTOR>(128 * i, j, experts)) held[i].at[j] = -CUDART_INF_F;
      largest = fmaxf(largest, held[i].at[j]);
    }
  }
  // The bound: at least k logits reach it. Equal ones leave together, so it may be lower.
  unsigned key = key_of(largest + 0.0f);
  const unsigned top = __reduce_max_sync(ALL, key);
  unsigned bound = top;
  for (int r = 1; r < k; ++r) {
    if (key == bound) key = NO_KEY;
    bound = __reduce_max_sync(ALL, key);
  }
  const float least = bound == NO_KEY ? -FLT_MAX : float_of(bound);
  unsigned reaching = 0;  // a bit for each logit of this lane
#pragma unroll
  for (int b = 0; b < 4 * GROUPS; ++b) reaching |= (held[b / 4].at[b % 4] >= least) << b;

  Candidates& candidates = of_warps[threadIdx.x / 32];
  int count = 0;
  unsigned lanes;  // with a bit left
  while ((lanes = __ballot_sync(ALL, reaching != 0)) != 0) {
    const int place = count + __popc(lanes & ((1u << lane) - 1));
    const int b = __ffs(reaching) - 1;
    if (reaching != 0 && place < 32) {
      candidates.experts[place] = column<32, VECTOR>(b / 4 * 128, b % 4);
    }
    reaching &= reaching - 1;
    count += __popc(lanes);
  }
  if (count > 32 || k > 32 || experts > 128 * GROUPS) {
    return gate_by_rounds(row, experts, weights, chosen, k);
  }
  __syncwarp();
  const int mine = lane < count ? candidates.experts[lane] : 0;
  const float value = lane < count ? row[mine] : -CUDART_INF_F;
  reinterpret_cast<float*>(candidates.values)[lane] = value;
  __syncwarp();

  const int rank = rank_of({value, mine}, candidates, count);
  const bool wins = lane < count && rank < k;
  const float exponential = wins ? __expf(value - float_of(top)) : 0.0f;
  float sum = exponential;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(ALL, sum, offset);
  if (!wins) return;
  weights[rank] = __fdividef(exponential, sum);
  chosen[rank] = mine;
}

template <int GROUPS>
void launch(const float* logits, float* weight, int* expert, int tokens, int experts, int k) {
  const auto kernel = experts % 4 == 0 ? gate_kernel<GROUPS, true> : gate_kernel<GROUPS, false>;
  kernel<<<kata::ceil_div(tokens, WARPS), THREADS>>>(logits, weight, expert, tokens, experts, k);
}

extern "C" void moe_gate(const float* logits, float* weight, int* expert, int tokens, int experts,
                         int k) {
  const auto launch_groups = experts <= 128 ? launch<1> : experts <= 256 ? launch<2> : launch<4>;
  launch_groups(logits, weight, expert, tokens, experts, k);
}
