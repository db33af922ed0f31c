// Few long rows: several blocks share a row, and the last of them merges their results.
//
// Each block leaves the k largest keys of its part in scratch memory and takes a ticket. The block
// with the last ticket of a row puts all parts through the same candidates. Keys have no ties, so
// the split cannot change the result. With many rows a row has one part, and nothing is merged.
//
// Prediction: as rung 7 at 1024 x 131072. 64 rows of 131072 keep 64 of 132 SMs busy, with one block
// each, for about 60 us. With 8 parts per row 512 blocks read 33.5 MB in 11 us. Four tiles, ticket,
// and a merge of 512 keys by ranks take 20 us more: 30 us. Missed: 37 us.
// Measured: 139.1 us at 1024x131072x64, 86 % of the limit (H200, 2026-11-28)
#include <kata/kata.h>

#include "../common/scratch.h"
#include "rank_keys.h"
#include "row_candidates.h"

constexpr int BLOCKS_WANTED = 528;  // four per SM on 132 SMs
constexpr int SMALLEST_PART = 8192;
static_assert(SMALLEST_PART >= 2 * LARGEST_K, "a part has k elements, the last one included");

template <bool VECTOR>
__global__ void __launch_bounds__(BOUND_THREADS, 4)
    topk_kernel(const float* x, float* values, int* indices, int cols, int k, int part_cols,
                Key* part_keys, unsigned* tickets) {
  __shared__ CandidateMemory memory;
  __shared__ RankMemory ranks;
  __shared__ bool is_last;
  const int parts = gridDim.y;
  const size_t out = static_cast<size_t>(blockIdx.x) * k;
  const auto store = [&](int rank, Key key) {
    store_key(key, &values[out + rank], &indices[out + rank]);
  };
  const int begin = blockIdx.y * part_cols;
  Candidates candidates(memory, k);
  add_columns<VECTOR>(candidates, x + static_cast<size_t>(blockIdx.x) * cols, begin,
                      min(begin + part_cols, cols), k);
  if (parts == 1) {
    rank_candidates(candidates, ranks, k, store);
    return;
  }

  Key* row_keys = part_keys + static_cast<size_t>(blockIdx.x) * parts * k;
  rank_candidates(candidates, ranks, k,
                  [&](int rank, Key key) { row_keys[blockIdx.y * k + rank] = key; });
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
    merged.add(1, [=](int) { return key; });
  }
  rank_candidates(merged, ranks, k, store);
}

extern "C" void topk_rows(const float* x, float* values, int* indices, int rows, int cols, int k) {
  static Scratch<Key> key_scratch;
  static Scratch<unsigned> ticket_scratch;
  const int parts = max(1, min(BLOCKS_WANTED / rows, cols / SMALLEST_PART));  // at most 16
  const int part_cols = kata::ceil_div(kata::ceil_div(cols, parts), 4) * 4;   // aligned parts
  Key* keys = parts > 1 ? key_scratch.get(static_cast<size_t>(rows) * parts * k) : nullptr;
  unsigned* tickets = parts > 1 ? ticket_scratch.get_zeroed(rows) : nullptr;  // each ends at 0
  const auto kernel = cols % 4 == 0 ? topk_kernel<true> : topk_kernel<false>;
  const int threads = threads_for(part_cols, TILE_ITEMS, BOUND_THREADS);
  kernel<<<dim3(rows, parts), threads>>>(x, values, indices, cols, k, part_cols, keys, tickets);
}
