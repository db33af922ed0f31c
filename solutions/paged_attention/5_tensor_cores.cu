// Tensor cores: the heads of a group are the rows of an mma, 16 keys of one page its columns.
//
// A warp takes 16 keys at a time, never more than a page has, and asks for the next 16 as soon as
// registers are free (../decode_attention/tensor_rows.h). A group of 4 uses 4 of 16 rows; the wasted
// arithmetic replaces conversions, multiply-adds and shuffles.
//
// Prediction: 13 instructions per key instead of 58, so issue slots are no limit. Each step still
// looks at the table before it can load: about 0.1 us of a step of 1 us, and 8 warps per SM cover
// only a part of it. 95 us at 8 x 32 heads x 8192. Missed: this kernel takes 99 us, and the one that
// merges 32 parts per head takes 17.
// Measured: 119.1 us at 8x32x8x128x16x512x4096, 53 % of the limit (H200, 2026-11-30)
#include "../decode_attention/tensor_rows.h"
#include "page_parts.h"

template <int DIM>
__global__ void __launch_bounds__(THREADS, 2)
    part_kernel(const __half* q, PagedCache cache, Parts parts) {
  __shared__ Merged<DIM> merged;
  const Share share(cache, parts, ROWS);
  TensorRows<DIM, PagedCache> tensor_rows(q + share.row * DIM, share.count, cache);
  const Rows<DIM> rows =
      tensor_rows.attend(share.sequence, share.kv_head, share.begin, share.end);
  merge_warps(merged, rows, share.count,
              [&](int head, int element, float max, float sum, float o) {
                store_part<DIM>(parts, share, head, element, max, sum, o);
              });
}

extern "C" void paged_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                const int* page_table, const int* lengths, __half* out, int batch,
                                int heads, int kv_heads, int dim, int page_size, int max_pages,
                                int pages) {
  (void)pages;
  const PagedCache cache = paged_cache(k_cache, v_cache, page_table, lengths, heads, kv_heads, dim,
                                       page_size, max_pages);
  const int blocks = batch * kv_heads * kata::ceil_div(cache.group(), ROWS);
  const Parts parts = make_page_parts(batch * heads, blocks, cache, dim);
  const auto kernel = dim == 64 ? part_kernel<64> : part_kernel<128>;
  kernel<<<blocks * parts.count, THREADS>>>(q, cache, parts);
  merge_parts(parts, out, batch * heads, dim);
}
