// Equal work: the keys of all sequences are one line, and each block takes an equal stretch.
//
// Parts cut from max_pages leave blocks without keys, and the last wave is seldom full. The line,
// and its merge by the block that comes last, are the contiguous cache's (paged_line.h): only the
// place of a key differs. Here each key looks into the table again, as in rung 5.
//
// Prediction: the contiguous cache's line takes 73 us at 8 x 32 heads x 8192. Six looks at the
// table and six products of 64 bits are 130 instructions more than 400 per 16 keys: 80 us, where
// rung 6 takes 116 with its merge of 32 parts per head.
// Measured: 83.5 us at 8x32x8x128x16x512x4096, 76 % of the limit (H200, 2026-11-30)
#include "../decode_attention/tensor_rows.h"
#include "paged_line.h"

extern "C" void paged_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                const int* page_table, const int* lengths, __half* out, int batch,
                                int heads, int kv_heads, int dim, int page_size, int max_pages,
                                int pages) {
  (void)pages;
  const PagedCache cache = paged_cache(k_cache, v_cache, page_table, lengths, heads, kv_heads, dim,
                                       page_size, max_pages);
  if (dim == 64) {
    launch_paged_line<64, TensorRows<64, PagedCache>>(q, cache, out, batch);
  } else {
    launch_paged_line<128, TensorRows<128, PagedCache>>(q, cache, out, batch);
  }
}
