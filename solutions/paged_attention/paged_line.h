#pragma once
// decode_attention's line of equal work (work_line.h and last_part.h there) over a cache in pages:
// rungs 7 to 9.

#include <algorithm>

#include "../decode_attention/last_part.h"
#include "pages.h"

// What the line has to know of the cache: lengths and heads, not where the keys are.
inline Cache shape_of(const PagedCache& paged) {
  return {nullptr,     nullptr,        paged.lengths,
          paged.heads, paged.kv_heads, paged.max_pages << paged.page_bits,
          paged.scale};
}

// KeyRows attends to a stretch of keys, as TensorRows does; Merge merges parts, as ByElement does.
template <int DIM, class KeyRows, class Merge>
__global__ void __launch_bounds__(THREADS, 2)
    paged_line_kernel(const __half* q, PagedCache paged, Cache shape, int batch, Shares<DIM> shares,
                      __half* out) {
  __shared__ Merged<DIM> merged;
  WorkLine line(shape, batch);
  while (line.has_work()) {
    const Stretch s = line.next();
    const Heads heads(s, shape);
    KeyRows key_rows(q + heads.row * DIM, heads.count, paged);
    const Rows<DIM> rows = key_rows.attend(s.sequence, heads.kv_head, s.begin(), s.end(shape));
    finish_stretch<Merge>(line, s, heads, shape, rows, merged, shares, out);
  }
}

// At least `least_tiles` of 16 keys for each block, if all sequences are as long as can be.
template <int DIM, class KeyRows, class Merge = ByElement>
void launch_paged_line(const __half* q, const PagedCache& paged, __half* out, int batch,
                       int least_tiles = 1) {
  const Cache shape = shape_of(paged);
  const long long tiles = 1LL * batch * kata::ceil_div(shape.max_length, WARP_KEYS);
  const long long groups = kata::ceil_div(tiles, 1LL * least_tiles);
  const int blocks = std::min<long long>(line_blocks<DIM>(shape, batch), groups * units_of(shape));
  const auto kernel = paged_line_kernel<DIM, KeyRows, Merge>;
  kernel<<<blocks, THREADS>>>(q, paged, shape, batch, make_shares<DIM>(blocks), out);
}
