#pragma once
// Rung 1's kernel, which later rungs use for short rows: the cut by bisection.

#include "row.h"
#include "walk.h"

constexpr int SHORT_ROW = 4096;  // tokens: below, 8192 counts cost more than 14 passes
constexpr int FEW_THREADS = 32;

// The index of the last of the cut's ties, then the walk through the nucleus.
template <int THREADS>
__device__ int walk_nucleus(const float* row, int vocab, int most, Cut cut, float number) {
  const auto is_tie = [&](int v) { return most - step_of(row[v]) == cut.depth; };
  const int last_tie = walk_tokens<THREADS>(vocab, static_cast<float>(cut.ties) - 0.5f,
                                            [&](int v) { return is_tie(v) ? 1.0f : 0.0f; });
  const auto weight = [&](int v) {
    const int depth = most - step_of(row[v]);
    const bool is_in = depth < cut.depth || (depth == cut.depth && v <= last_tie);
    return is_in ? weight_of(depth) : 0.0f;
  };
  float own = 0.0f, sum;
  for (int v = threadIdx.x; v < vocab; v += THREADS) own += weight(v);
  exclusive_scan<THREADS>(own, sum);
  return walk_tokens<THREADS>(vocab, number * sum, weight);
}

template <int THREADS>
__global__ void __launch_bounds__(THREADS) bisect_kernel(Rows rows) {
  const int vocab = rows.vocab;
  const float* row = rows.row(blockIdx.x);
  int largest = INT_MIN;
  for (int v = threadIdx.x; v < vocab; v += THREADS) largest = max(largest, step_of(row[v]));
  const int most = block_max<THREADS>(largest);

  const auto weight_upto = [&](int deepest) {
    float own = 0.0f, sum;
    for (int v = threadIdx.x; v < vocab; v += THREADS) {
      const int depth = most - step_of(row[v]);
      if (depth <= deepest) own += weight_of(depth);
    }
    exclusive_scan<THREADS>(own, sum);
    return sum;
  };
  const float least = rows.p[blockIdx.x] * weight_upto(DEPTHS - 1);
  int low = 0, high = DEPTHS - 1;  // the first depth whose weight is enough
  while (low < high) {
    const int middle = (low + high) / 2;
    if (weight_upto(middle) >= least) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  const Cut cut = {low, needed_ties(least, weight_upto(low - 1), low)};
  const int token = walk_nucleus<THREADS>(row, vocab, most, cut, rows.uniform[blockIdx.x]);
  if (threadIdx.x == 0) rows.token[blockIdx.x] = token;
}
