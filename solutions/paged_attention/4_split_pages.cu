// Split the pages of a sequence over several blocks, enough blocks for the chip.
//
// The rung to reach in 30 minutes. Each block writes maximum, sum and unnormalised output of its
// pages in float, and a second kernel merges them with weights exp(max of the part - max of all). A
// part that begins past the end of a short sequence writes the sum 0. The grid comes from max_pages,
// since the lengths are in device memory.
//
// Prediction: 8 x 8 kv heads get 32 parts of 16 pages, 2048 blocks: all SMs are full until the end.
// The instructions of rung 3 are the limit then, and the wait for the table: 115 us at 8 x 32 heads
// x 8192, was 300.
// Measured: 132.5 us at 8x32x8x128x16x512x4096, 48 % of the limit (H200, 2026-11-30)
#include "../decode_attention/vector_keys.h"
#include "page_parts.h"

template <int DIM, int HEADS>
__global__ void __launch_bounds__(THREADS)
    part_kernel(const __half* q, PagedCache cache, Parts parts) {
  const Share share(cache, parts, HEADS);
  Heads<HEADS> heads = attend<DIM, HEADS, 4>(q + share.row * DIM, share.count, cache,
                                             share.sequence, share.kv_head, share.begin, share.end);
  merge_warps<DIM>(heads, share.count, [&](int head, int element, float max, float sum, float o) {
    store_part<DIM>(parts, share, head, element, max, sum, o);
  });
}

template <int HEADS>
void launch(const __half* q, const PagedCache& cache, __half* out, int batch, int dim) {
  const int blocks = batch * cache.kv_heads * kata::ceil_div(cache.group(), HEADS);
  const Parts parts = make_page_parts(batch * cache.heads, blocks, cache, dim);
  const auto kernel = dim == 64 ? part_kernel<64, HEADS> : part_kernel<128, HEADS>;
  kernel<<<blocks * parts.count, THREADS>>>(q, cache, parts);
  merge_parts(parts, out, batch * cache.heads, dim);
}

extern "C" void paged_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                const int* page_table, const int* lengths, __half* out, int batch,
                                int heads, int kv_heads, int dim, int page_size, int max_pages,
                                int pages) {
  (void)pages;
  const PagedCache cache = paged_cache(k_cache, v_cache, page_table, lengths, heads, kv_heads, dim,
                                       page_size, max_pages);
  if (cache.group() == 1) {
    launch<1>(q, cache, out, batch, dim);
  } else if (cache.group() <= 4) {
    launch<4>(q, cache, out, batch, dim);
  } else {
    launch<8>(q, cache, out, batch, dim);
  }
}
