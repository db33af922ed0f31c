// Tensor cores: the heads of a group are the rows of an mma, 16 keys its columns.
//
// tensor_rows.h has the layout: 16-byte loads go straight to the registers that mma wants, and the
// scores of one product are the operand of the next. A group of 4 uses 4 of 16 rows, but the wasted
// arithmetic costs nothing: it replaces conversions, multiply-adds and shuffles.
//
// Prediction: per 16 keys a warp has 32 mma, 32 permutations and about 150 other instructions, 13
// per key instead of 58: 60 us of issue slots at 64 x 8 kv heads x 8192. 8 KB in flight per warp
// and 8 warps per SM are 64 KB: memory is the limit, 468 us. 8 x 8 kv heads: 68 us with the merge.
// Measured: 100.3 us at 8x32x8x8192x128, 62 % of the limit (H200, 2026-11-30)
#include "parts.h"
#include "tensor_rows.h"

template <int DIM>
__global__ void __launch_bounds__(THREADS, 2)
    part_kernel(const __half* q, Cache cache, Parts parts) {
  __shared__ Merged<DIM> merged;
  const int chunks = kata::ceil_div(cache.group(), ROWS);
  const int part = blockIdx.x % parts.count, chunk = blockIdx.x / parts.count % chunks;
  const int pair = blockIdx.x / parts.count / chunks;
  const int sequence = pair / cache.kv_heads, kv_head = pair % cache.kv_heads;
  const int count = min(ROWS, cache.group() - chunk * ROWS);
  const size_t row = static_cast<size_t>(pair) * cache.group() + chunk * ROWS;
  const int begin = part * parts.keys;
  const int end = min(begin + parts.keys, cache.lengths[sequence]);

  TensorRows<DIM> tensor_rows(q + row * DIM, count, cache);
  Rows<DIM> rows = tensor_rows.attend(sequence, kv_head, begin, end);
  merge_warps(merged, rows, count, [&](int head, int element, float max, float sum, float o) {
    const size_t at = (row + head) * parts.count + part;
    parts.o[at * DIM + element] = o;
    if (element == 0) {
      parts.max[at] = max;
      parts.sum[at] = sum;
    }
  });
}

extern "C" void decode_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                 const int* lengths, __half* out, int batch, int heads,
                                 int kv_heads, int max_length, int dim) {
  const Cache cache = {k_cache,  v_cache,    lengths,     heads,
                       kv_heads, max_length, 1.0f / sqrtf(dim)};
  const int blocks = batch * kv_heads * kata::ceil_div(cache.group(), ROWS);
  const Parts parts = make_parts(batch * heads, blocks, max_length, dim);
  const auto kernel = dim == 64 ? part_kernel<64> : part_kernel<128>;
  kernel<<<blocks * parts.count, THREADS>>>(q, cache, parts);
  merge_parts(parts, out, batch * heads, dim);
}
