// Whole sequences: a cluster of two blocks has all keys of a sequence's kv head, so nothing is cut.
//
// Rung 7 at 8 sequences cuts each into four parts, which meet in global memory: stores, a fence, a
// counter, loads. Here two blocks of 8 warps, one per SM, take 128 keys in turn, and merge through
// the cluster's shared memory; with twice as many sequences one block has all keys.
// Rung 7's kernel runs unless that is one wave that fills at least three fifths of the SMs. The
// host does not know the lengths: if they are mixed, SMs with short sequences end early and idle.
//
// Prediction: 94 us at 8 x 8 kv heads x 8192 on an H100, 68 on an H200 (73). A trial on an H100 took
// 92.8 (rung 7: 100.4), 49.8 with lengths from 1 to 8192 (52.0), 42 with one among short (29.6).
// Measured: 66.9 us at 8x32x8x8192x128, 92 % of the limit (H200, 2026-11-30)
#include "whole_sequences.h"

template <int DIM, int CLUSTER>
__global__ void __launch_bounds__(BLOCK_THREADS, 1)
    sequence_kernel(const __half* q, Cache cache, __half* out) {
  extern __shared__ float4 memory[];
  auto& merged = *reinterpret_cast<Merged<DIM, BLOCK_WARPS>*>(memory);
  __shared__ Part<DIM> part;  // in units of exp(max); the second block may have no keys
  const int rank = cluster_rank<CLUSTER>(), cluster = blockIdx.x / CLUSTER;
  const int units = units_of(cache), sequence = cluster / units;
  const Heads heads(sequence, cluster % units, cache);
  TensorRows<DIM> tensor_rows(q + heads.row * DIM, heads.count, cache);
  const Rows<DIM> rows = tensor_rows.template attend<CLUSTER * BLOCK_KEYS>(
      sequence, heads.kv_head, rank * BLOCK_KEYS, cache.lengths[sequence]);
  merge_warps(merged, rows, heads.count, [&](int head, int element, float max, float sum, float o) {
    if (CLUSTER == 1) {
      out[(heads.row + head) * DIM + element] = __float2half(o / sum);
    } else {
      part.put(head, element, max, sum, o);
    }
  });
  if (CLUSTER == 2) merge_pair(part, heads, rank, out);
}

template <int DIM, int CLUSTER>
void launch_sequences(const __half* q, const Cache& cache, __half* out, int blocks) {
  const auto kernel = sequence_kernel<DIM, CLUSTER>;
  constexpr int SHARED_BYTES = sizeof(Merged<DIM, BLOCK_WARPS>);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
  if (CLUSTER == 1) {
    kernel<<<blocks, BLOCK_THREADS, SHARED_BYTES>>>(q, cache, out);
  } else {
    launch_clusters(CLUSTER, blocks, BLOCK_THREADS, SHARED_BYTES, kernel, q, cache, out);
  }
}

template <int DIM>
void launch(const __half* q, const Cache& cache, __half* out, int batch) {
  const int most = processors(), blocks = batch * units_of(cache);
  const auto fill_a_wave = [&](int blocks) { return blocks <= most && 5 * blocks >= 3 * most; };
  if (fill_a_wave(2 * blocks) && has_clusters()) {
    launch_sequences<DIM, 2>(q, cache, out, 2 * blocks);
  } else if (fill_a_wave(blocks)) {
    launch_sequences<DIM, 1>(q, cache, out, blocks);
  } else {
    launch_line<DIM>(q, cache, out, batch);
  }
}

extern "C" void decode_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                 const int* lengths, __half* out, int batch, int heads,
                                 int kv_heads, int max_length, int dim) {
  const Cache cache = {k_cache,  v_cache,    lengths,     heads,
                       kv_heads, max_length, 1.0f / sqrtf(dim)};
  if (dim == 64) {
    launch<64>(q, cache, out, batch);
  } else {
    launch<128>(q, cache, out, batch);
  }
}
