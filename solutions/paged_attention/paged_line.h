#pragma once
// decode_attention's line of equal work (work_line.h and last_part.h there) over a cache in pages:
// rungs 7 to 9.

#include "../decode_attention/last_part.h"
#include "pages.h"

// What the line has to know of the cache: lengths and heads, not where the keys are.
inline Cache shape_of(const PagedCache& paged) {
  return {nullptr,        nullptr,
          paged.lengths,  paged.heads,
          paged.kv_heads, paged.max_pages << paged.page_bits,
          paged.scale};
}

// KeyRows attends to a stretch of keys, as TensorRows does.
template <int DIM, class KeyRows>
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
    finish_stretch(line, s, heads, shape, rows, merged, shares, out);
  }
}

template <int DIM, class KeyRows>
void launch_paged_line(const __half* q, const PagedCache& paged, __half* out, int batch) {
  const Cache shape = shape_of(paged);
  const int blocks = line_blocks<DIM>(shape, batch);
  const auto kernel = paged_line_kernel<DIM, KeyRows>;
  kernel<<<blocks, THREADS>>>(q, paged, shape, batch, make_shares<DIM>(blocks), out);
}
