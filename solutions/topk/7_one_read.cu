// One read: a sample of x gives a lower bound for the k-th largest key before the first full pass.
//
// Split a sample of x into 4096 groups and take each group's largest key. The k-th largest of these
// maxima is a lower bound: k keys are at least that large. One pass over x keeps the keys from the
// bound on, and the exact selection runs on those few. Any input stays right: if too many keys
// pass the bound, the selection reads x, as in the rung before. Not for k near 4096 or n: then the
// selection reads x at once.
//
// Prediction: at 2^26 the sample is n / 16, groups of 1024. For k = 2048, half of the maxima, the
// bound keeps n ln 2 / 1024 = 45000 random keys. One read of x, 61 us, the sample 4 us, six
// launches of about 3 us and a sort of 2048 keys, 6 us: 90 us.
// Measured: 126.7 us at 67108864x2048, 49 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/scratch.h"
#include "lower_bound.h"
#include "topk_output.h"

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
  select_digit<<<blocks, SELECT_THREADS>>>(few, selection, k, 0, 21, 32);  // bits 21 to 31
  select_digit<<<blocks, SELECT_THREADS>>>(few, selection, k, 1, 10, 21);  // bits 10 to 20
  select_digit<<<blocks, SELECT_THREADS>>>(few, selection, k, 2, 0, 10);   // bits 0 to 9
  collect<<<blocks, SELECT_THREADS>>>(few, selection, keys, k);
  sort_and_store(keys, &selection->found, &selection->threshold, y, k);
}
