// One block per kv head: the heads of a group share every load.
//
// This is what grouped-query attention is for. Each key is loaded once and multiplied with the
// queries of up to 8 heads, which all wait in registers. Larger groups take several blocks.
//
// Prediction: reads fall by heads / kv_heads = 4, to 2.15 GB: 468 us at 4.6 TB/s for 64 x 8 kv
// heads x 8192. But per key a lane has 64 multiply-adds, 16 conversions and 16 shuffles: about 58
// warp instructions, 270 us of issue slots, and 512 blocks of 4 warps on 132 SMs: 700 us.
// Measured: 285.3 us at 8x32x8x8192x128, 22 % of the limit (H200, 2026-11-30)
#include "vector_keys.h"

template <int DIM, int HEADS>
__global__ void __launch_bounds__(THREADS)
    decode_kernel(const __half* q, Cache cache, __half* out) {
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
void launch(const __half* q, const Cache& cache, __half* out, int batch, int dim) {
  const int blocks = batch * cache.kv_heads * kata::ceil_div(cache.group(), HEADS);
  const auto kernel = dim == 64 ? decode_kernel<64, HEADS> : decode_kernel<128, HEADS>;
  kernel<<<blocks, THREADS>>>(q, cache, out);
}

extern "C" void decode_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                 const int* lengths, __half* out, int batch, int heads,
                                 int kv_heads, int max_length, int dim) {
  const Cache cache = {k_cache,  v_cache,    lengths,     heads,
                       kv_heads, max_length, 1.0f / sqrtf(dim)};
  if (cache.group() == 1) {
    launch<1>(q, cache, out, batch, dim);
  } else if (cache.group() <= 4) {
    launch<4>(q, cache, out, batch, dim);
  } else {
    launch<8>(q, cache, out, batch, dim);
  }
}
