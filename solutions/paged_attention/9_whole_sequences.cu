// Whole sequences: a cluster of two blocks has all keys of a sequence's kv head, so nothing is cut.
//
// As with the contiguous cache, two blocks of 8 warps, one per SM, take 128 keys in turn and merge
// through the cluster's shared memory, without parts in global memory, fence or counter. With twice
// as many sequences one block has all keys. Rung 8's kernel runs unless that is one wave that fills
// at least three fifths of the SMs.
//
// Prediction: the contiguous cache wins 7 us by this at 8 x 32 heads x 8192: 66 us instead of 74.
// Measured: 70.1 us at 8x32x8x128x16x512x4096, 90 % of the limit (H200, 2026-11-30)
#include "../decode_attention/whole_sequences.h"
#include "page_rows.h"
#include "paged_line.h"

template <int DIM, int CLUSTER>
__global__ void __launch_bounds__(BLOCK_THREADS, 1)
    sequence_kernel(const __half* q, PagedCache paged, Cache shape, __half* out) {
  extern __shared__ float4 memory[];
  auto& merged = *reinterpret_cast<Merged<DIM, BLOCK_WARPS>*>(memory);
  __shared__ Part<DIM> part;  // in units of exp(max); the second block may have no keys
  const int rank = cluster_rank<CLUSTER>(), cluster = blockIdx.x / CLUSTER;
  const int units = units_of(shape), sequence = cluster / units;
  const Heads heads(sequence, cluster % units, shape);
  PageRows<DIM> page_rows(q + heads.row * DIM, heads.count, paged);
  const Rows<DIM> rows = page_rows.template attend<CLUSTER * BLOCK_KEYS>(
      sequence, heads.kv_head, rank * BLOCK_KEYS, shape.lengths[sequence]);
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
void launch_sequences(const __half* q, const PagedCache& paged, __half* out, int blocks) {
  const auto kernel = sequence_kernel<DIM, CLUSTER>;
  constexpr int SHARED_BYTES = sizeof(Merged<DIM, BLOCK_WARPS>);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
  if (CLUSTER == 1) {
    kernel<<<blocks, BLOCK_THREADS, SHARED_BYTES>>>(q, paged, shape_of(paged), out);
  } else {
    launch_clusters(CLUSTER, blocks, BLOCK_THREADS, SHARED_BYTES, kernel, q, paged, shape_of(paged),
                    out);
  }
}

template <int DIM>
void launch(const __half* q, const PagedCache& paged, __half* out, int batch) {
  const int most = processors(), blocks = batch * units_of(shape_of(paged));
  const auto fill_a_wave = [&](int blocks) { return blocks <= most && 5 * blocks >= 3 * most; };
  if (fill_a_wave(2 * blocks) && has_clusters()) {
    launch_sequences<DIM, 2>(q, paged, out, 2 * blocks);
  } else if (fill_a_wave(blocks)) {
    launch_sequences<DIM, 1>(q, paged, out, blocks);
  } else {
    launch_paged_line<DIM, PageRows<DIM>>(q, paged, out, batch);
  }
}

extern "C" void paged_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                const int* page_table, const int* lengths, __half* out, int batch,
                                int heads, int kv_heads, int dim, int page_size, int max_pages,
                                int pages) {
  (void)pages;
  const PagedCache paged = paged_cache(k_cache, v_cache, page_table, lengths, heads, kv_heads, dim,
                                       page_size, max_pages);
  if (dim == 64) {
    launch<64>(q, paged, out, batch);
  } else {
    launch<128>(q, paged, out, batch);
  }
}
