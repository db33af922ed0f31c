// 16-byte loads, and 16 keys in flight per warp instead of one.
//
// vector_keys.h has the layout: 16 lanes share a key of 128 halves. The product needs four shuffles
// for two keys instead of five for one, and the loads of eight such pairs are issued at once.
//
// Prediction: 8 KB in flight per warp hide the latency: L2 and device memory are the limit. Each
// group's cache is still read by its four heads, at about the same time, so that most of it comes
// from L2 at 5.5 TB/s: 8.6 GB, 1.6 ms at 64 x 32 heads x 8192. Missed: the caches deliver 10 TB/s.
// Measured: 840.9 us at 64x32x8x8192x128, 55 % of the limit (H200, 2026-11-30)
#include "vector_keys.h"

template <int DIM>
__global__ void __launch_bounds__(THREADS)
    decode_kernel(const __half* q, Cache cache, __half* out) {
  const int sequence = blockIdx.x / cache.heads, head = blockIdx.x % cache.heads;
  const size_t row = static_cast<size_t>(blockIdx.x) * DIM;
  Heads<1> heads = attend<DIM, 1, 8>(q + row, 1, cache, sequence, head / cache.group(), 0,
                                     cache.lengths[sequence]);
  merge_warps<DIM>(heads, 1, [&](int, int element, float, float sum, float o) {
    out[row + element] = __float2half(o / sum);
  });
}

extern "C" void decode_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                 const int* lengths, __half* out, int batch, int heads,
                                 int kv_heads, int max_length, int dim) {
  const Cache cache = {k_cache,  v_cache,    lengths,     heads,
                       kv_heads, max_length, 1.0f / sqrtf(dim)};
  const auto kernel = dim == 64 ? decode_kernel<64> : decode_kernel<128>;
  kernel<<<batch * heads, THREADS>>>(q, cache, out);
}
