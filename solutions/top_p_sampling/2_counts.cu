// Count the tokens with each value once; the counts are the row, sorted.
//
// The rung to reach in 30 minutes. Logits are multiples of 2^-8, so 8192 counts in shared memory
// hold all that matters, from the largest logit down to e^-32 of its weight. A scan over counts
// times weights finds the cut. Counts are whole numbers, so the order of the atomics is no matter.
//
// Prediction: two passes, 12 us for the maximum and 12 for the counts, and 3 us for the scan
// replace rung 1's 16 passes. The sum of the nucleus is another pass, and the walks take 150 us
// each, unless they end early: 300 us at 128 x 128256.
// Measured: 311.0 us at 128x128256, 5.7 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include "bisect.h"
#include "find_cut.h"

constexpr int THREADS = 1024;

__global__ void __launch_bounds__(THREADS) sample_kernel(Rows rows) {
  __shared__ int counts[DEPTHS];
  const int vocab = rows.vocab;
  const float* row = rows.row(blockIdx.x);
  for (int d = threadIdx.x; d < DEPTHS; d += THREADS) counts[d] = 0;
  int largest = INT_MIN;
  for (int v = threadIdx.x; v < vocab; v += THREADS) largest = max(largest, step_of(row[v]));
  const int most = block_max<THREADS>(largest);  // a barrier: all counts are 0

  for (int v = threadIdx.x; v < vocab; v += THREADS) {
    const int depth = most - step_of(row[v]);
    if (depth < DEPTHS) atomicAdd(&counts[depth], 1);
  }
  __syncthreads();
  const Cut cut = find_cut<THREADS>(rows.p[blockIdx.x], [&](int d) { return counts[d]; });
  const int token = walk_nucleus<THREADS>(row, vocab, most, cut, rows.uniform[blockIdx.x]);
  if (threadIdx.x == 0) rows.token[blockIdx.x] = token;
}

extern "C" void top_p_sampling(const float* logits, const float* p, const float* uniform,
                               int* token, int rows, int vocab) {
  const Rows all = {logits, p, uniform, token, vocab};
  if (vocab < SHORT_ROW) {
    bisect_kernel<FEW_THREADS><<<rows, FEW_THREADS>>>(all);
  } else {
    sample_kernel<<<rows, THREADS>>>(all);
  }
}
