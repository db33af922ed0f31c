// A cluster of two blocks loads each row once: each block half of its columns, for both.
//
// Heads 0 to 63 and 64 to 127 need the same rows at about the same time. Each block loads into a
// stage when the warps of both have read it, so that a barrier counts arrivals from the other block.
// Up to 64 heads have no such pair and take the kernel of rung 6.
//
// Prediction: L2 delivered 604 MB, about 6 TB/s, as much as it can; now 302 MB. A tile comes in
// 1200 clocks, not 2200, so that the two tiles are no longer late. 2700 clocks for each: 98 us at
// 64 x 128 heads x 4096.
// Measured: 147.8 us at 64x128x4096, 52 % of the limit (H200, 2026-11-30)
#include "../common/cluster.h"
#include "score_warpgroup.h"

constexpr int PANELS = ROW / 64;

template <int BLOCKS>
__global__ void __launch_bounds__(THREADS, 1)
    mla_kernel(const __grid_constant__ CUtensorMap queries,
               const __grid_constant__ CUtensorMap cache, Latents x, Parts parts) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  Shared& shared = *reinterpret_cast<Shared*>(bytes);
  const Share share(x, parts, HEADS);
  const int tiles = kata::ceil_div(share.keys(), KEYS);
  const int rank = BLOCKS > 1 ? rank_in_cluster() : 0;
  const auto load = [&](int tile) {
    const int row = share.sequence * x.max_length + share.begin + tile * KEYS;
    Barrier* const full = &shared.full[tile % 2];
    if (BLOCKS == 1) {
      shared.rows[tile % 2].load(cache, row, full);
      return;
    }
    arrive_expecting(full, sizeof(Tile));  // the bytes that the other block loads, too
    for (int p = rank * PANELS / BLOCKS; p < (rank + 1) * PANELS / BLOCKS; ++p) {
      load_box_multicast(shared.rows[tile % 2].panels[p], cache, row, 64 * p, full, 0b11);
    }
  };
  if (threadIdx.x == 0) {
    shared.init_barriers(BLOCKS);
    if (tiles > 0) {
      shared.queries.load(queries, share.sequence * x.heads + share.head0, &shared.queries_full);
    }
  }
  __syncthreads();
  if (BLOCKS > 1) cluster_barrier();  // the other block's barriers exist
  if (threadIdx.x == 0) {
    for (int tile = 0; tile < min(tiles, 2); ++tile) load(tile);
  }

  const bool has_scores = __shfl_sync(0xffffffffu, threadIdx.x / WARPGROUP, 0) == 0;
  if (has_scores) compute_scores(shared, share.keys(), x.factor);
  if (!has_scores) compute_outputs(shared, x, parts, share, [&](int tile) {
    __syncwarp();
    if (threadIdx.x % 32 < BLOCKS) arrive_at(&shared.rows_empty[tile % 2], threadIdx.x % 32);
    if (threadIdx.x == WARPGROUP && tile + 2 < tiles) {
      wait(&shared.rows_empty[tile % 2], tile / 2 % 2);
      load(tile + 2);
    }
  });
  if (BLOCKS > 1) cluster_barrier();  // nothing comes from the other block any more
}

extern "C" void mla_decode(const __nv_bfloat16* q, const __nv_bfloat16* cache, const int* lengths,
                           __nv_bfloat16* out, int batch, int heads, int max_length, float scale) {
  constexpr int BYTES = sizeof(Shared);
  const int rows = batch * heads, blocks = batch * kata::ceil_div(heads, HEADS);
  const Parts parts = make_parts(out, rows, blocks, 1, max_length);
  const auto kernel = heads > HEADS ? mla_kernel<2> : mla_kernel<1>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  launch_clusters(heads > HEADS ? 2 : 1, blocks * parts.count, THREADS, BYTES, kernel,
                  row_map(q, rows), row_map(cache, batch * max_length),
                  latents(q, cache, lengths, heads, max_length, scale), parts);
  merge_parts(parts, rows);
}
