#pragma once
// Two roles for the warpgroups of a block: one computes the scores of 64 heads, two the outputs,
// 256 columns each. For rungs 6 and 7.
//
// full[s] ends a phase when the bytes of a tile have come, rows_empty[s] when all warps of the
// outputs have read it; weights_full when the weights of a tile are in shared memory, weights_empty
// when the outputs have read them. At these two every thread arrives: compute-sanitizer's racecheck
// does not see that __syncwarp() orders what other lanes did before one lane's arrival.

#include "wgmma_tiles.h"

constexpr int THREADS = 3 * WARPGROUP;

struct Shared {
  Tile queries, rows[2];
  __align__(1024) __nv_bfloat16 weights[HEADS][KEYS];  // swizzled, as a panel
  float2 of_row[HEADS];  // after a tile: rescale, 0; in the end: max, sum
  Barrier queries_full, full[2], rows_empty[2], weights_full, weights_empty;

  // `blocks` of a cluster read the same rows.
  __device__ void init_barriers(int blocks) {
    init(&queries_full, 1);
    for (Barrier& barrier : full) init(&barrier, 1);
    for (Barrier& barrier : rows_empty) init(&barrier, 8 * blocks);
    init(&weights_full, WARPGROUP);
    init(&weights_empty, 2 * WARPGROUP);
    fence_init();
  }
};

__device__ inline void release(Barrier* barrier) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) arrive(barrier);
}

// The weights of 16 keys at a time, to where wgmma reads them.
__device__ __forceinline__ void put_weights(Shared& shared, const float (&score)[KEYS / 2]) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 % 4 * 16 + lane % 16;
#pragma unroll
  for (int k = 0; k < KEYS / 16; ++k) {
    store_matrices(&shared.weights[row][8 * ((2 * k + lane / 16) ^ row % 8)],
                   weight_pair(score, k, 0), weight_pair(score, k, 1), weight_pair(score, k, 2),
                   weight_pair(score, k, 3));
  }
}

// A pair for each of the thread's two rows.
__device__ __forceinline__ void put_rows(Shared& shared, float2 first, float2 second) {
  if (threadIdx.x % 4 != 0) return;
  shared.of_row[row_of(0)] = first;
  shared.of_row[row_of(1)] = second;
}

// Warpgroup 0.
__device__ __forceinline__ void compute_scores(Shared& shared, int keys, float factor) {
  const int tiles = kata::ceil_div(keys, KEYS);
  const uint64_t q = shared.queries.descriptor();
  Softmax softmax;
  if (tiles > 0) wait(&shared.queries_full, 0);
  for (int tile = 0; tile < tiles; ++tile) {
    Tile& rows = shared.rows[tile % 2];
    const int count = min(KEYS, keys - tile * KEYS);
    const uint64_t k_rows = rows.descriptor();
    float score[KEYS / 2];
    wait(&shared.full[tile % 2], tile / 2 % 2);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < ROW / 16; ++k) {
      multiply_keys(score, q + Tile::columns(k), k_rows + Tile::columns(k), k > 0);
    }
    wgmma_commit();
    wgmma_wait<0>();
    softmax.weigh(score, count, factor);
    if (count < KEYS) rows.clear_from(count, WARPGROUP);
    wait(&shared.weights_empty, tile % 2 ^ 1);  // those of the tile before are used up
    put_weights(shared, score);
    put_rows(shared, {softmax.rescale[0], 0.0f}, {softmax.rescale[1], 0.0f});
    fence_async();
    arrive(&shared.weights_full);
  }
  const float sum[2] = {softmax.row_sum(0), softmax.row_sum(1)};
  wait(&shared.weights_empty, tiles % 2 ^ 1);
  put_rows(shared, {factor * softmax.max[0], sum[0]}, {factor * softmax.max[1], sum[1]});
  arrive(&shared.weights_full);
}

// Warpgroups 1 and 2. Calls release_rows(tile) when this warp has read a tile.
template <class ReleaseRows>
__device__ __forceinline__ void compute_outputs(Shared& shared, const Latents& x,
                                                const Parts& parts, const Share& share,
                                                const ReleaseRows& release_rows) {
  const int tiles = kata::ceil_div(share.keys(), KEYS);
  const int half = __shfl_sync(0xffffffffu, threadIdx.x / WARPGROUP, 0) - 1;
  const uint64_t weights = tile_descriptor(shared.weights, Tile::PANEL_BYTES);
  float o[HALF / 2] = {};
  for (int tile = 0; tile < tiles; ++tile) {
    const uint64_t values = shared.rows[tile % 2].descriptor(4 * half);
    wait(&shared.weights_full, tile % 2);
    wait(&shared.full[tile % 2], tile / 2 % 2);
    rescale_rows(o, shared.of_row[row_of(0)].x, shared.of_row[row_of(1)].x);
    settle(o);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < KEYS / 16; ++k) add_values(o, weights + Tile::columns(k), values + k * 128);
    wgmma_commit();
    wgmma_wait<0>();
    arrive(&shared.weights_empty);
    release_rows(tile);
  }
  wait(&shared.weights_full, tiles % 2);
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const float2 top = shared.of_row[row_of(r)];
    store_row(parts, x, share, half, r, top.x, top.y, o);
  }
}
