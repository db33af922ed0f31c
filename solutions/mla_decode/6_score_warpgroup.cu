// Three warpgroups: one computes the scores, and two the outputs, 256 columns each.
//
// No score is computed twice, and the scores of the next tile run under the outputs of this one.
// The weights pass through 8 KB of shared memory, with what the outputs must be rescaled by. A tile
// is loaded again as soon as its outputs are computed.
//
// Prediction: 1152 + 1024 clocks of the tensor cores for a tile; only the softmax, about 500, finds
// nothing to run under. But a tile that is free must be loaded, scored, weighed and multiplied
// before it is free again: 2200 + 1200 + 500 + 1500 clocks for two tiles. 2800 for each of the 64
// tiles of a block: 105 us at 64 x 128 heads x 4096.
// Measured: 141.5 us at 64x128x4096, 54 % of the limit (H200, 2026-11-30)
#include "score_warpgroup.h"

__global__ void __launch_bounds__(THREADS, 1)
    mla_kernel(const __grid_constant__ CUtensorMap queries,
               const __grid_constant__ CUtensorMap cache, Latents x, Parts parts) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  Shared& shared = *reinterpret_cast<Shared*>(bytes);
  const Share share(x, parts, HEADS);
  const int tiles = kata::ceil_div(share.keys(), KEYS);
  const auto load = [&](int tile) {
    const int row = share.sequence * x.max_length + share.begin + tile * KEYS;
    shared.rows[tile % 2].load(cache, row, &shared.full[tile % 2]);
  };
  if (threadIdx.x == 0) {
    shared.init_barriers(1);
    if (tiles > 0) {
      shared.queries.load(queries, share.sequence * x.heads + share.head0, &shared.queries_full);
    }
    for (int tile = 0; tile < min(tiles, 2); ++tile) load(tile);
  }
  __syncthreads();

  if (__shfl_sync(0xffffffffu, threadIdx.x / WARPGROUP, 0) == 0) {
    compute_scores(shared, share.keys(), x.factor);
    return;
  }
  compute_outputs(shared, x, parts, share, [&](int tile) {
    release(&shared.rows_empty[tile % 2]);
    if (threadIdx.x == WARPGROUP && tile + 2 < tiles) {
      wait(&shared.rows_empty[tile % 2], tile / 2 % 2);
      load(tile + 2);
    }
  });
}

extern "C" void mla_decode(const __nv_bfloat16* q, const __nv_bfloat16* cache, const int* lengths,
                           __nv_bfloat16* out, int batch, int heads, int max_length, float scale) {
  constexpr int BYTES = sizeof(Shared);
  const int rows = batch * heads, blocks = batch * kata::ceil_div(heads, HEADS);
  const Parts parts = make_parts(out, rows, blocks, 1, max_length);
  cudaFuncSetAttribute(mla_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  mla_kernel<<<blocks * parts.count, THREADS, BYTES>>>(
      row_map(q, rows), row_map(cache, batch * max_length),
      latents(q, cache, lengths, heads, max_length, scale), parts);
  merge_parts(parts, rows);
}
