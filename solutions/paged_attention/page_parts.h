#pragma once
// Parts of whole pages: rungs 4 to 6.

#include "../decode_attention/parts.h"
#include "pages.h"

constexpr int MOST_PART_PAGES = 256;

// As many parts as make 2048 blocks, but at least 128 keys in each, and at most 256 pages. `blocks`
// are those of one part. The host does not know the lengths: parts past the end of a sequence are
// empty.
inline Parts make_page_parts(int rows, int blocks, const PagedCache& cache, int dim) {
  static Scratch<float> scratch;
  const int least = 128 >> cache.page_bits;
  const int wanted = kata::ceil_div(cache.max_pages, kata::ceil_div(2048, blocks));
  const int pages = min(max(wanted, least), MOST_PART_PAGES);
  const int count = kata::ceil_div(cache.max_pages, pages);
  const size_t all = static_cast<size_t>(rows) * count;
  float* memory = scratch.get(all * (dim + 2));
  return {memory, memory + all * dim, memory + all * (dim + 1), count, pages << cache.page_bits};
}

// What a block of a part kernel works on: some heads of a group, and keys [begin, end).
struct Share {
  int part, sequence, kv_head, count, begin, end;
  size_t row;  // of q and out, the first of `count`

  __device__ Share(const PagedCache& cache, const Parts& parts, int most_heads) {
    const int chunks = kata::ceil_div(cache.group(), most_heads);
    part = blockIdx.x % parts.count;
    const int chunk = blockIdx.x / parts.count % chunks, pair = blockIdx.x / parts.count / chunks;
    sequence = pair / cache.kv_heads;
    kv_head = pair % cache.kv_heads;
    count = min(most_heads, cache.group() - chunk * most_heads);
    row = static_cast<size_t>(pair) * cache.group() + chunk * most_heads;
    begin = part * parts.keys;
    end = min(begin + parts.keys, cache.lengths[sequence]);
  }
};

template <int DIM>
__device__ void store_part(const Parts& parts, const Share& share, int head, int element, float max,
                           float sum, float o) {
  const size_t at = (share.row + head) * parts.count + share.part;
  parts.o[at * DIM + element] = o;
  if (element == 0) {
    parts.max[at] = max;
    parts.sum[at] = sum;
  }
}
