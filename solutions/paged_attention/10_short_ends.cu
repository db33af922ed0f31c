// Short ends, as with the contiguous cache: what comes after a sequence's last key takes less time.
//
// With few sequences a row has up to 132 parts, and the last block of rung 8 reads them 4 bytes at
// a time. Here a thread reads 16 bytes of 16 parts at once (wide_merge.h), and a block of the line
// has at least four steps, so that there are fewer parts. Clusters may have 4 or 8 blocks, and
// short sequences take one block each in up to two waves.
//
// Prediction: us here, in rung 9, in Triton. 2x8x1x128x16x645: 16, 60, 15.7. 3x32x4x128x16x185: 13,
// 33, 17. 1x32x8x128x16x512: 21, 25, 20. 7x8x1x64x16x21: 8, 17, 10. 24x32x8x128x16x9: 13, 20, 16.
// Measured beside them: 27, 16, 22, 10 and 17.
// Measured: 70.2 us at 8x32x8x128x16x512x4096, 90 % of the limit (H200, 2026-11-30)
#include "../decode_attention/cluster_merge.h"
#include "../decode_attention/wide_merge.h"
#include "page_rows.h"
#include "paged_line.h"

template <int DIM, int CLUSTER>
__global__ void __launch_bounds__(BLOCK_THREADS, 1)
    sequence_kernel(const __half* q, PagedCache paged, Cache shape, __half* out) {
  extern __shared__ float4 memory[];
  auto& merged = *reinterpret_cast<Merged<DIM, BLOCK_WARPS>*>(memory);
  __shared__ Part<DIM> part;  // in units of exp(max); a block may have no keys
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
  if (CLUSTER > 1) merge_cluster<DIM, CLUSTER>(part, heads, rank, out);
}

// Sequences to clusters of CLUSTER blocks, or half of it ... 1, whichever suits: one wave that
// fills 70 % of the SMs, or at most four steps for each block of a cluster of 8 or alone.
template <int DIM, int CLUSTER = 8>
bool launch_clusters_for(const __half* q, const PagedCache& paged, __half* out, int batch) {
  const Cache shape = shape_of(paged);
  const int most = processors(), blocks = CLUSTER * batch * units_of(shape);
  const bool is_wave = blocks <= most, fills = 10 * blocks >= 7 * most;
  const bool is_short = (CLUSTER == 8 && is_wave) || (CLUSTER == 1 && blocks <= 2 * most);
  if ((is_wave && fills) || (is_short && shape.max_length <= 4 * CLUSTER * BLOCK_KEYS)) {
    const auto kernel = sequence_kernel<DIM, CLUSTER>;
    constexpr int SHARED_BYTES = sizeof(Merged<DIM, BLOCK_WARPS>);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
    launch_clusters(CLUSTER, blocks, BLOCK_THREADS, SHARED_BYTES, kernel, q, paged, shape, out);
    return true;
  }
  if constexpr (CLUSTER > 1) {
    return launch_clusters_for<DIM, CLUSTER / 2>(q, paged, out, batch);
  } else {
    return false;
  }
}

template <int DIM>
void launch(const __half* q, const PagedCache& paged, __half* out, int batch) {
  if (has_clusters() && launch_clusters_for<DIM>(q, paged, out, batch)) return;
  launch_paged_line<DIM, PageRows<DIM>, WideMerge>(q, paged, out, batch, 4 * WARPS);
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
