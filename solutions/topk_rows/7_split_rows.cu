// Few long rows: several blocks share a row, and the last of them merges their results.
//
// Each block leaves the k largest keys of its part in scratch memory and takes a ticket. The block
// with the last ticket of a row puts all parts through the same candidates. Keys have no ties, so
// the split cannot change the result. With many rows a row has one part, and nothing is merged.
//
// Prediction: as rung 6 at 1024 x 131072, 135 us. 64 rows of 131072 keep 64 of 132 SMs busy, with
// one block each, for about 40 us. With 8 parts per row 512 blocks read 33.5 MB in 11 us. Sorts,
// tickets and a merge of 512 keys add 10 us: 21 us.
// Measured: 491.7 us at 1024x131072x64, 24 % of the limit (H200, 2026-11-28)
#include <kata/kata.h>

#include "../common/scratch.h"
#include "candidates.h"
#include "first_bound.h"
#include "row_tile.h"

constexpr int BLOCKS_WANTED = 528;  // four per SM on 132 SMs
constexpr int SMALLEST_PART = 8192;
static_assert(SMALLEST_PART >= 2 * LARGEST_K, "a part has k elements, the last one included");

template <bool VECTOR>
__global__ void __launch_bounds__(MOST_THREADS)
    topk_kernel(const float* x, float* values, int* indices, int cols, int k, int part_cols,
                Key* part_keys, unsigned* tickets) {
  __shared__ CandidateMemory memory;
  __shared__ bool is_last;
  const int parts = gridDim.y;
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  const size_t out = static_cast<size_t>(blockIdx.x) * k;
  const int begin = blockIdx.y * part_cols;
  const int end = min(begin + part_cols, cols);

  Candidates candidates(memory, k);
  for (int first = begin; first < end; first += TILE_ITEMS * blockDim.x) {
    const RowTile<VECTOR> tile(row, first, end);
    if (first == begin) {
      Key largest = NONE;
#pragma unroll
      for (int j = 0; j < TILE_ITEMS; ++j) largest = max(largest, tile.key(j));
      candidates.set_bound(first_bound(largest, memory.keys, k));
    }
    candidates.add<TILE_ITEMS>([&](int j) { return tile.key(j); });
  }
  const Key* sorted = candidates.sorted();
  if (parts == 1) {
    store_row(sorted, values + out, indices + out, k);
    return;
  }

  Key* row_keys = part_keys + static_cast<size_t>(blockIdx.x) * parts * k;
  for (int r = threadIdx.x; r < k; r += blockDim.x) row_keys[blockIdx.y * k + r] = sorted[r];
  __threadfence();  // the keys are visible before the ticket
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(&tickets[blockIdx.x], parts - 1) == parts - 1u;
  __syncthreads();
  if (!is_last) return;  // the whole block
  __threadfence();
  Candidates merged(memory, k);
  for (int first = 0; first < parts * k; first += blockDim.x) {
    const int i = first + threadIdx.x;
    const Key key = i < parts * k ? __ldcg(&row_keys[i]) : NONE;
    merged.add<1>([=](int) { return key; });
  }
  store_row(merged.sorted(), values + out, indices + out, k);
}

extern "C" void topk_rows(const float* x, float* values, int* indices, int rows, int cols, int k) {
  static Scratch<Key> key_scratch;
  static Scratch<unsigned> ticket_scratch;
  const int parts = max(1, min(BLOCKS_WANTED / rows, cols / SMALLEST_PART));  // at most 16
  const int part_cols = kata::ceil_div(kata::ceil_div(cols, parts), 4) * 4;   // aligned parts
  Key* keys = parts > 1 ? key_scratch.get(static_cast<size_t>(rows) * parts * k) : nullptr;
  unsigned* tickets = parts > 1 ? ticket_scratch.get_zeroed(rows) : nullptr;  // each ends at 0
  const auto kernel = cols % 4 == 0 ? topk_kernel<true> : topk_kernel<false>;
  kernel<<<dim3(rows, parts), threads_for(part_cols, TILE_ITEMS)>>>(x, values, indices, cols, k,
                                                                    part_cols, keys, tickets);
}
