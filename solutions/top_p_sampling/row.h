#pragma once
// A row of logits as whole numbers. Logits are multiples of 2^-8, so 256 steps make a logit of 1.

#include <cuda_runtime.h>

struct Rows {
  const float *logits, *p, *uniform;  // [rows, vocab], [rows], [rows]
  int* token;                         // [rows]
  int vocab;

  __device__ const float* row(int r) const { return logits + static_cast<size_t>(r) * vocab; }
};

// In steps; -256000, below any finite logit, for -infinity.
__device__ inline int step_of(float logit) {
  return static_cast<int>(fmaxf(logit, -1000.0f) * 256.0f);
}

// Depth is the distance below the largest logit, in steps. Tokens that are deeper than this weigh
// less than e^-32 of the largest: 262144 of them do not change a float's sum.
constexpr int DEPTHS = 8192;

__device__ inline float weight_of(int depth) {
  return exp2f(static_cast<float>(depth) * (-1.44269504f / 256.0f));
}

// Which tokens may be drawn: those less deep than `depth`, and the first `ties` ones that are as
// deep.
struct Cut {
  int depth, ties;
};

// The number of tokens at the cut's depth that are needed: `above` is the weight of the others, and
// all together have at least the weight `least`.
__device__ inline int needed_ties(float least, float above, int depth) {
  const float ties = ceilf((least - above) / weight_of(depth));
  return static_cast<int>(fminf(fmaxf(ties, 1.0f), 1e6f));  // rounding may ask for all and more
}

// The largest value of a block, in all threads.
template <int THREADS>
__device__ int block_max(int value) {
  __shared__ int of_warp[THREADS / 32];
  value = __reduce_max_sync(0xffffffffu, value);
  if (THREADS == 32) return value;
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  const int most = __reduce_max_sync(0xffffffffu, of_warp[lane % (THREADS / 32)]);
  __syncthreads();  // the slots are free for the next call
  return most;
}
