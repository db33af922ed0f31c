// No sort: the rank of a candidate is the number of larger ones, and it is stored at its rank.
//
// After the last tile the bound is renewed once more, and of some 700 candidates about 100 are
// left. A thread has one of them and compares it with all, which lie in shared memory: 100 loads that the
// whole warp shares. A sort of 512 keys has 45 steps with a barrier each. With more than 512 left,
// as with equal values, the candidates are sorted (rank_keys.h).
//
// Prediction: 100 comparisons by four warps take 1 us instead of the 15 us of a sort, mostly hidden
// behind other blocks: 150 us at 1024 x 131072. At 4096 x 4096 the sort was a third of a block's
// time: 55 us.
// Measured: 139.0 us at 1024x131072x64, 87 % of the limit (H200, 2026-11-28)
#include <kata/kata.h>

#include "rank_keys.h"
#include "row_candidates.h"

template <bool VECTOR>
__global__ void __launch_bounds__(BOUND_THREADS, 4)
    topk_kernel(const float* x, float* values, int* indices, int cols, int k) {
  __shared__ CandidateMemory memory;
  __shared__ RankMemory ranks;
  const size_t out = static_cast<size_t>(blockIdx.x) * k;
  Candidates candidates(memory, k);
  add_columns<VECTOR>(candidates, x + static_cast<size_t>(blockIdx.x) * cols, 0, cols, k);
  rank_candidates(candidates, ranks, k, [&](int rank, Key key) {
    store_key(key, &values[out + rank], &indices[out + rank]);
  });
}

extern "C" void topk_rows(const float* x, float* values, int* indices, int rows, int cols, int k) {
  const auto kernel = cols % 4 == 0 ? topk_kernel<true> : topk_kernel<false>;
  const int threads = threads_for(cols, TILE_ITEMS, BOUND_THREADS);
  kernel<<<rows, threads>>>(x, values, indices, cols, k);
}
