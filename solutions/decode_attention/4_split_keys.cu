// Split the keys of a sequence over several blocks (flash-decoding): enough blocks for the chip.
//
// Each block writes maximum, sum and unnormalised output of its keys in float, and a second kernel
// merges them with weights exp(max of the part - max of all). A part that begins past the end of a
// short sequence writes the sum 0. The grid is sized from max_length, since the lengths are in
// device memory. The rung to reach in 30 minutes.
//
// Prediction: 64 x 8 kv heads become 4 parts each, 2048 blocks: all SMs are full until the end, 520
// us. 8 x 8 kv heads are 64 blocks for 132 SMs before, 32 parts make 2048: 75 us, was 300.
// Measured: 113.1 us at 8x32x8x8192x128, 55 % of the limit (H200, 2026-11-30)
#include "parts.h"
#include "vector_keys.h"

template <int DIM, int HEADS>
__global__ void __launch_bounds__(THREADS) part_kernel(const __half* q, Cache cache, Parts parts) {
  const int chunks = kata::ceil_div(cache.group(), HEADS);
  const int part = blockIdx.x % parts.count, chunk = blockIdx.x / parts.count % chunks;
  const int pair = blockIdx.x / parts.count / chunks;
  const int sequence = pair / cache.kv_heads, kv_head = pair % cache.kv_heads;
  const int count = min(HEADS, cache.group() - chunk * HEADS);
  const size_t row = static_cast<size_t>(pair) * cache.group() + chunk * HEADS;
  const int begin = part * parts.keys;
  const int end = min(begin + parts.keys, cache.lengths[sequence]);
  Heads<HEADS> heads =
      attend<DIM, HEADS, 4>(q + row * DIM, count, cache, sequence, kv_head, begin, end);
  merge_warps<DIM>(heads, count, [&](int head, int element, float max, float sum, float o) {
    const size_t at = (row + head) * parts.count + part;
    parts.o[at * DIM + element] = o;
    if (element == 0) {
      parts.max[at] = max;
      parts.sum[at] = sum;
    }
  });
}

template <int HEADS>
void launch(const __half* q, const Cache& cache, __half* out, int batch, int dim) {
  const int blocks = batch * cache.kv_heads * kata::ceil_div(cache.group(), HEADS);
  const Parts parts = make_parts(batch * cache.heads, blocks, cache.max_length, dim);
  const auto kernel = dim == 64 ? part_kernel<64, HEADS> : part_kernel<128, HEADS>;
  kernel<<<blocks * parts.count, THREADS>>>(q, cache, parts);
  merge_parts(parts, out, batch * cache.heads, dim);
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
