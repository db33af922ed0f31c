// A bound before the first element is kept: the k-th largest of the threads' maxima.
//
// 512 threads each find the largest of their 16 elements of the first tile. At least k elements are
// as large as the k-th of these maxima, so whatever is smaller is dropped without having been in
// the buffer. It costs one sort of 512 keys. Where k exceeds the number of threads, there is none.
//
// Prediction: of the first 8192 elements about 70 pass with k = 64, and of each later tile as many:
// 1100 candidates fit the buffer, and one sort at the end is left. A row has two sorts, 8 us,
// nearly hidden behind the loads of other blocks: 135 us.
// Measured: 509.3 us at 1024x131072x64, 23 % of the limit (H200, 2026-11-28)
#include <kata/kata.h>

#include "candidates.h"
#include "first_bound.h"
#include "row_tile.h"

template <bool VECTOR>
__global__ void __launch_bounds__(MOST_THREADS)
    topk_kernel(const float* x, float* values, int* indices, int cols, int k) {
  __shared__ CandidateMemory memory;
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  const size_t out = static_cast<size_t>(blockIdx.x) * k;
  Candidates candidates(memory, k);
  for (int first = 0; first < cols; first += TILE_ITEMS * blockDim.x) {
    const RowTile<VECTOR> tile(row, first, cols);
    if (first == 0) {
      Key largest = NONE;
#pragma unroll
      for (int j = 0; j < TILE_ITEMS; ++j) largest = max(largest, tile.key(j));
      candidates.set_bound(first_bound(largest, memory.keys, k));
    }
    candidates.add<TILE_ITEMS>([&](int j) { return tile.key(j); });
  }
  store_row(candidates.sorted(), values + out, indices + out, k);
}

extern "C" void topk_rows(const float* x, float* values, int* indices, int rows, int cols, int k) {
  const auto kernel = cols % 4 == 0 ? topk_kernel<true> : topk_kernel<false>;
  kernel<<<rows, threads_for(cols, TILE_ITEMS)>>>(x, values, indices, cols, k);
}
