// 16-byte loads, and 16 keys in flight per warp instead of one.
//
// The layout is that of the contiguous cache (../decode_attention/vector_keys.h): 16 lanes share a
// key of 128 halves, and the loads of eight pairs of keys are issued before the first is used. A
// page has 16 keys or 64, so these 16 keys need one entry of the table or two.
//
// Prediction: 1024 warps with 8 KB in flight each are enough for memory, but a block per head reads
// each key four times, mostly from L2. 1.07 GB at 6 TB/s are 180 us, and the wait for the table in
// each step adds a tenth: 195 us at 8 x 32 heads x 8192.
// Measured: 285.3 us at 8x32x8x128x16x512x4096, 22 % of the limit (H200, 2026-11-30)
#include "../decode_attention/vector_keys.h"
#include "pages.h"

template <int DIM>
__global__ void __launch_bounds__(THREADS)
    paged_kernel(const __half* q, PagedCache cache, __half* out) {
  const int sequence = blockIdx.x / cache.heads, head = blockIdx.x % cache.heads;
  const size_t row = static_cast<size_t>(blockIdx.x) * DIM;
  Heads<1> heads = attend<DIM, 1, 8>(q + row, 1, cache, sequence, head / cache.group(), 0,
                                     cache.lengths[sequence]);
  merge_warps<DIM>(heads, 1, [&](int, int element, float, float sum, float o) {
    out[row + element] = __float2half(o / sum);
  });
}

extern "C" void paged_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                const int* page_table, const int* lengths, __half* out, int batch,
                                int heads, int kv_heads, int dim, int page_size, int max_pages,
                                int pages) {
  (void)pages;
  const PagedCache cache = paged_cache(k_cache, v_cache, page_table, lengths, heads, kv_heads, dim,
                                       page_size, max_pages);
  const auto kernel = dim == 64 ? paged_kernel<64> : paged_kernel<128>;
  kernel<<<batch * heads, THREADS>>>(q, cache, out);
}
