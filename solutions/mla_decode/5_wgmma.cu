// wgmma: 64 heads by two warpgroups, each with 256 of the 512 columns of the output in registers.
//
// The TMA unit fills two tiles of 64 rows in turn; with the queries they take 216 KB. Both products
// read a tile as it is: K along its rows for the scores, N along them for the output. Each
// warpgroup computes all scores, the same ones twice: then the weights are in its registers as the
// second product wants them. Needs compute capability 9.0.
//
// Prediction: a tile takes 2 x 1152 + 1024 clocks of the tensor cores, 50 % more than it must, and
// about 900 of softmax and barriers beside them. 4200 clocks for each of the 64 tiles of a block:
// 155 us at 64 x 128 heads x 4096.
// Measured: 174.1 us at 64x128x4096, 44 % of the limit (H200, 2026-11-30)
#include "wgmma_tiles.h"

constexpr int THREADS = 2 * WARPGROUP;

struct Shared {
  Tile queries, rows[2];
  Barrier queries_full, full[2];
};

__global__ void __launch_bounds__(THREADS, 1)
    mla_kernel(const __grid_constant__ CUtensorMap queries,
               const __grid_constant__ CUtensorMap cache, Latents x, Parts parts) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  Shared& shared = *reinterpret_cast<Shared*>(bytes);
  const Share share(x, parts, HEADS);
  const int tiles = kata::ceil_div(share.keys(), KEYS);
  const int warpgroup = __shfl_sync(0xffffffffu, threadIdx.x / WARPGROUP, 0);
  const auto load = [&](int tile) {
    const int row = share.sequence * x.max_length + share.begin + tile * KEYS;
    shared.rows[tile % 2].load(cache, row, &shared.full[tile % 2]);
  };
  if (threadIdx.x == 0 && tiles > 0) {
    init(&shared.queries_full, 1);
    for (Barrier& full : shared.full) init(&full, 1);
    fence_init();
    shared.queries.load(queries, share.sequence * x.heads + share.head0, &shared.queries_full);
    for (int tile = 0; tile < min(tiles, 2); ++tile) load(tile);
  }
  __syncthreads();

  Softmax softmax;
  float o[HALF / 2] = {};
  const uint64_t q = shared.queries.descriptor();
  if (tiles > 0) wait(&shared.queries_full, 0);
  for (int tile = 0; tile < tiles; ++tile) {
    Tile& rows = shared.rows[tile % 2];
    const int count = min(KEYS, share.keys() - tile * KEYS);
    wait(&shared.full[tile % 2], tile / 2 % 2);
    if (count < KEYS) {
      rows.clear_from(count, THREADS);
      __syncthreads();
    }
    float score[KEYS / 2];
    const uint64_t keys = rows.descriptor(), values = rows.descriptor(4 * warpgroup);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < ROW / 16; ++k) {
      multiply_keys(score, q + Tile::columns(k), keys + Tile::columns(k), k > 0);
    }
    wgmma_commit();
    wgmma_wait<0>();
    softmax.weigh(score, count, x.factor);
    rescale_rows(o, softmax.rescale[0], softmax.rescale[1]);
    settle(o);
    uint32_t weights[KEYS / 16][4];
#pragma unroll
    for (int k = 0; k < KEYS / 16; ++k) {
#pragma unroll
      for (int r = 0; r < 4; ++r) weights[k][r] = weight_pair(score, k, r);
      settle(weights[k]);
    }
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < KEYS / 16; ++k) {  // 16 rows of 128 bytes are 128 cells
      add_values(o, weights[k], values + k * 128);
    }
    wgmma_commit();
    wgmma_wait<0>();
    __syncthreads();  // the next copies overwrite this tile
    if (threadIdx.x == 0 && tile + 2 < tiles) load(tile + 2);
  }
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    store_row(parts, x, share, warpgroup, r, x.factor * softmax.max[r], softmax.row_sum(r), o);
  }
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
