// Short ends: after its last key, a sequence needs as few round trips to memory as possible.
//
// The last block of rung 7 reads the parts 4 bytes at a time, at most 8 at once. Here a thread
// reads 16 bytes of 16 parts at once (wide_merge.h). Rung 8's clusters meet without global memory,
// and may be larger: 2, 4 or 8 blocks have a sequence where they fill 70 % of the SMs in one wave,
// or where each has little to read. Heads of 64 are half of the bytes: three blocks per SM.
//
// Prediction (H200): 15 us instead of 20 at 12x16x2x890x128, 16 instead of 20 at 1x32x8x8192x128,
// 105 instead of 130 at 37x4x2x24455x64; no change at 8 and 64 sequences. Trials took 10.4, 15.9
// and 117.6 (2026-11-29).
// Measured: 66.8 us at 8x32x8x8192x128, 93 % of the limit (H200, 2026-11-30)
#include "cluster_merge.h"
#include "wide_merge.h"

template <int DIM, int CLUSTER>
__global__ void __launch_bounds__(BLOCK_THREADS, 1)
    sequence_kernel(const __half* q, Cache cache, __half* out) {
  extern __shared__ float4 memory[];
  auto& merged = *reinterpret_cast<Merged<DIM, BLOCK_WARPS>*>(memory);
  __shared__ Part<DIM> part;  // in units of exp(max); a block may have no keys
  const int rank = cluster_rank<CLUSTER>(), cluster = blockIdx.x / CLUSTER;
  const int units = units_of(cache), sequence = cluster / units;
  const Heads heads(sequence, cluster % units, cache);
  TensorRows<DIM> tensor_rows(q + heads.row * DIM, heads.count, cache);
  const Rows<DIM> rows = tensor_rows.template attend<CLUSTER * BLOCK_KEYS>(
      sequence, heads.kv_head, rank * BLOCK_KEYS, cache.lengths[sequence]);
  merge_warps(merged, rows, heads.count, [&](int head, int element, float max, float sum, float o) {
    part.put(head, element, max, sum, o);
  });
  merge_cluster<DIM, CLUSTER>(part, heads, rank, out);
}

// Sequences to clusters of CLUSTER blocks, or half of it ... 2, whichever suits.
template <int DIM, int CLUSTER = 8>
bool launch_clusters_for(const __half* q, const Cache& cache, __half* out, int batch) {
  const int most = processors(), blocks = CLUSTER * batch * units_of(cache);
  const bool fills = 10 * blocks >= 7 * most;
  const bool is_short = CLUSTER == 8 && cache.max_length <= 4 * CLUSTER * BLOCK_KEYS;
  if (blocks <= most && (fills || is_short)) {
    const auto kernel = sequence_kernel<DIM, CLUSTER>;
    constexpr int SHARED_BYTES = sizeof(Merged<DIM, BLOCK_WARPS>);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
    launch_clusters(CLUSTER, blocks, BLOCK_THREADS, SHARED_BYTES, kernel, q, cache, out);
    return true;
  }
  if constexpr (CLUSTER > 2) {
    return launch_clusters_for<DIM, CLUSTER / 2>(q, cache, out, batch);
  } else {
    return false;
  }
}

template <int DIM>
void launch(const __half* q, const Cache& cache, __half* out, int batch) {
  if (has_clusters() && launch_clusters_for<DIM>(q, cache, out, batch)) return;
  launch_line<DIM, WideMerge, DIM == 64 ? 3 : 2>(q, cache, out, batch);
}

extern "C" void decode_attention(const __half* q, const __half* k_cache, const __half* v_cache,
                                 const int* lengths, __half* out, int batch, int heads,
                                 int kv_heads, int max_length, int dim) {
  const Cache cache = {k_cache, v_cache, lengths, heads, kv_heads, max_length, 1.0f / sqrtf(dim)};
  if (dim == 64) {
    launch<64>(q, cache, out, batch);
  } else {
    launch<128>(q, cache, out, batch);
  }
}
