// A warp's 16 keys are in one page: their place is worked out once, from a number held ahead.
//
// In rung 7 a step of 16 keys looks at the length and at the table six times. Here a lane loads the
// page number of one of the warp's next 32 steps, a shuffle passes it on, and a page's keys are a
// constant number of elements apart. The loop is in page_rows.h.
//
// Prediction: a third of the instructions goes, and the wait for the table before the loads of a
// step: as fast as the contiguous cache's line, 73 us at 8 x 32 heads x 8192.
// Measured: 76.0 us at 8x32x8x128x16x512x4096, 83 % of the limit (H200, 2026-11-30)
#include "page_rows.h"
#include "paged_line.h"

extern "C" void paged_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                const int* page_table, const int* lengths, __half* out, int batch,
                                int heads, int kv_heads, int dim, int page_size, int max_pages,
                                int pages) {
  (void)pages;
  const PagedCache cache = paged_cache(k_cache, v_cache, page_table, lengths, heads, kv_heads, dim,
                                       page_size, max_pages);
  if (dim == 64) {
    launch_paged_line<64, PageRows<64>>(q, cache, out, batch);
  } else {
    launch_paged_line<128, PageRows<128>>(q, cache, out, batch);
  }
}
