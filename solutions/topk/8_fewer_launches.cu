// Fewer launches: what runs on a few thousand keys costs launches, not bytes.
//
// Rung 7 spends eight launches on keys that fit one block. Here the last block of the sample finds
// the bound. Up to 4096 candidates are not selected any further: each is compared with all others,
// and its rank is its place in y. More candidates pass through a cooperative kernel, which does the
// three passes with grid barriers between them and returns at once if it has nothing to do.
//
// Prediction: five launches. At 2^26 and k = 100, with 1600 candidates: the sample 6 us, one read
// 66 us, an empty kernel 2 us, ranks 2 us, and 4 us of memset and gaps: 80 us. For k = 2048 the
// cooperative kernel has 45000 candidates and three barriers: 90 us.
// Measured: 96.9 us at 67108864x100, 64 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include <cooperative_groups.h>

#include "../common/scratch.h"
#include "lower_bound.h"
#include "topk_output.h"

constexpr unsigned RANKED = 4096;  // candidates

__device__ bool can_be_ranked(const KeySource& few) {
  return few.is_list() && *few.candidate_count <= RANKED;
}

// The threshold and all larger keys, unless there are few enough candidates to rank.
__global__ void select_cooperatively(KeySource few, Selection* selection, unsigned* keys,
                                     unsigned k) {
  if (can_be_ranked(few)) return;  // all blocks
  const int shifts[] = {21, 10, 0};
  unsigned threshold = 0;
  unsigned rank = k;
  for (int pass = 0; pass < 3; ++pass) {
    unsigned* counts = selection->counts[pass];
    count_digit(few, threshold, pass == 0 ? 32 : shifts[pass - 1], shifts[pass], counts);
    cooperative_groups::this_grid().sync();
    const Choice choice = choose_digit(counts, rank);  // the same in every block
    threshold |= choice.digit << shifts[pass];
    rank = choice.rank;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) selection->threshold = threshold;
  collect_above(few, threshold, keys, &selection->found, k);
}

__global__ void rank_candidates(KeySource few, const Selection* selection, const unsigned* keys,
                                float* y, unsigned k) {
  if (can_be_ranked(few)) {
    const auto candidate = [&](unsigned i) { return few.candidates[i]; };
    store_by_rank(candidate, *few.candidate_count, y, k);
  } else {
    const unsigned found = selection->found;
    const unsigned threshold = selection->threshold;
    store_by_rank([=](unsigned i) { return unsorted_key(keys, i, found, threshold, k); }, k, y, k);
  }
}

void select_rest(KeySource few, Selection* selection, unsigned* keys, unsigned k, unsigned blocks) {
  void* arguments[] = {&few, &selection, &keys, &k};
  cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(select_cooperatively), dim3(blocks),
                              dim3(SELECT_THREADS), arguments);
}

extern "C" void topk(const float* x, float* y, int n, int k) {
  static Scratch<Selection> selection_scratch;
  static Scratch<unsigned> key_scratch, candidate_scratch;
  Selection* selection = selection_scratch.get(1);
  unsigned* keys = key_scratch.get(power_of_two_from(k));
  const unsigned blocks = select_blocks(n);
  const KeySource all = {x, unsigned(n), nullptr, nullptr, 0};
  KeySource few = all;
  cudaMemsetAsync(selection, 0, sizeof(Selection));

  if (n >= SMALLEST_N && k <= LARGEST_K) {
    const unsigned capacity = n / 8;
    unsigned* maxima = candidate_scratch.get(GROUPS + 1 + capacity);
    unsigned* bound = maxima + GROUPS;
    unsigned* candidates = bound + 1;
    few = {x, unsigned(n), candidates, &selection->candidate_count, capacity};
    find_bound(x, n, k, maxima, &selection->blocks_done);
    keep_candidates<<<blocks, SELECT_THREADS>>>(all, bound, candidates, &selection->candidate_count,
                                                capacity);
  }
  select_rest(few, selection, keys, k, blocks < 132 ? blocks : 132);
  if (k <= int(RANKED)) {
    rank_candidates<<<RANKED / SELECT_WARPS, RANK_THREADS>>>(few, selection, keys, y, k);
  } else {
    sort_and_store(keys, &selection->found, &selection->threshold, y, k);
  }
}
