// A bound from the threads' maxima, before anything is kept, and again as the row goes on.
//
// A thread remembers the largest value it has seen. If each of 8 warps finds its 8 largest of these
// (__reduce_max_sync), 64 elements are as large as the least of them: what is smaller is dropped
// without having been in the buffer (value_bound.h). It is renewed after 1, 2, 4, 8 ... tiles.
// Comparisons of floats give a mask, and keys are built for its bits alone. The loop is in
// row_candidates.h.
//
// Prediction: some 700 of 131072 elements pass with k = 64, and one sort at the end is left, 20 us
// of issue slots. 10 instructions per element are 45 us. Four blocks of 256 threads per SM take two
// waves of 32 steps, 2.5 us each: 165 us.
// Measured: 168.3 us at 1024x131072x64, 71 % of the limit (H200, 2026-11-28)
#include <kata/kata.h>

#include "row_candidates.h"

template <bool VECTOR>
__global__ void __launch_bounds__(BOUND_THREADS, 4)
    topk_kernel(const float* x, float* values, int* indices, int cols, int k) {
  __shared__ CandidateMemory memory;
  const size_t out = static_cast<size_t>(blockIdx.x) * k;
  Candidates candidates(memory, k);
  add_columns<VECTOR>(candidates, x + static_cast<size_t>(blockIdx.x) * cols, 0, cols, k);
  store_row(candidates.sorted(), values + out, indices + out, k);
}

extern "C" void topk_rows(const float* x, float* values, int* indices, int rows, int cols, int k) {
  const auto kernel = cols % 4 == 0 ? topk_kernel<true> : topk_kernel<false>;
  const int threads = threads_for(cols, TILE_ITEMS, BOUND_THREADS);
  kernel<<<rows, threads>>>(x, values, indices, cols, k);
}
