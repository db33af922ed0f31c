// One block per kv head: the heads of a group share every load, and every look at the table.
//
// Each key is loaded once and multiplied with the queries of up to 8 heads, which all wait in
// registers. Larger groups take several blocks.
//
// Prediction: reads fall by heads / kv_heads = 4, to 268 MB. But 8 x 8 kv heads are 64 blocks of
// four warps for 132 SMs, and each of them works through 8192 keys at about 58 warp instructions per
// key: 300 us at 8 x 32 heads x 8192, slower than before. 64 sequences have enough blocks. Missed:
// 356 us, since finding the keys' places makes it 109 instructions.
// Measured: 360.6 us at 8x32x8x128x16x512x4096, 18 % of the limit (H200, 2026-11-30)
#include "../decode_attention/vector_keys.h"
#include "pages.h"

template <int DIM, int HEADS>
__global__ void __launch_bounds__(THREADS)
    paged_kernel(const __half* q, PagedCache cache, __half* out) {
  const int chunks = kata::ceil_div(cache.group(), HEADS);  // of a group
  const int chunk = blockIdx.x % chunks, pair = blockIdx.x / chunks;
  const int sequence = pair / cache.kv_heads, kv_head = pair % cache.kv_heads;
  const int count = min(HEADS, cache.group() - chunk * HEADS);
  const size_t row = static_cast<size_t>(pair) * cache.group() + chunk * HEADS;
  Heads<HEADS> heads = attend<DIM, HEADS, 4>(q + row * DIM, count, cache, sequence, kv_head, 0,
                                             cache.lengths[sequence]);
  merge_warps<DIM>(heads, count, [&](int head, int element, float, float sum, float o) {
    out[(row + head) * DIM + element] = __float2half(o / sum);
  });
}

template <int HEADS>
void launch(const __half* q, const PagedCache& cache, __half* out, int batch, int dim) {
  const int blocks = batch * cache.kv_heads * kata::ceil_div(cache.group(), HEADS);
  const auto kernel = dim == 64 ? paged_kernel<64, HEADS> : paged_kernel<128, HEADS>;
  kernel<<<blocks, THREADS>>>(q, cache, out);
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
