#pragma once
// The two roles of a block in a persistent product on wgmma, as in hgemm's rung 9: a thread of the
// last warpgroup fills the ring, the others multiply. For bf16.
//
// `Work` says what the block does: tiles first() to count(), with next(i) after tile i; wait_for(i)
// before the first load of a tile, load(stage, i, k0, full) for each of its loads, and store(i,
// sum, warpgroup) for its sums.

#include "wgmma_tile.h"

constexpr int STAGES = 4, CONSUMERS = 2, BM = 64 * CONSUMERS;
constexpr int THREADS = WARPGROUP * (CONSUMERS + 1);
constexpr int DEPTH = BK<__nv_bfloat16>;
using TileRing = Ring<BM, STAGES>;

/// Box (row, col) of matrix `index` of a stack of matrices, see map_of_stack.
__device__ inline void load_box_of(void* tile, const CUtensorMap& stack, int index, int row,
                                   int col, Barrier* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(tile)),
      "l"(&stack), "r"(col), "r"(row), "r"(index), "r"(shared_address(barrier))
      : "memory");
}

/// B's part of a stage: columns from col on, at depth k0.
__device__ inline void load_panels(Tiles<BM>& stage, const CUtensorMap& B, int col, int k0,
                                   Barrier* full) {
#pragma unroll
  for (int p = 0; p < BN / 64; ++p) load_box(stage.B + p * PANEL, B, k0, col + 64 * p, full);
}

/// [count, rows, cols], read in boxes of BM rows of 128 bytes of one matrix.
inline CUtensorMap map_of_stack(const __nv_bfloat16* data, int count, int rows, int cols) {
  const cuuint64_t row = cols * sizeof(__nv_bfloat16);
  const cuuint64_t size[] = {static_cast<cuuint64_t>(cols), static_cast<cuuint64_t>(rows),
                             static_cast<cuuint64_t>(count)};
  const cuuint64_t strides[] = {row, row * rows};
  const cuuint32_t box[] = {DEPTH, BM, 1};
  return encode_map(data, 3, size, strides, box);
}

template <class Work>
__device__ void fill(TileRing& ring, const Work& work, int K) {
  Place<STAGES> at;
  for (int i = work.first(); i < work.count(); i = work.next(i)) {
    work.wait_for(i);
    for (int k0 = 0; k0 < K; k0 += DEPTH, at.advance()) {
      wait(&ring.empty[at.stage], at.parity ^ 1);
      arrive_expecting(&ring.full[at.stage], sizeof(Tiles<BM>));
      work.load(ring.tiles[at.stage], i, k0, &ring.full[at.stage]);
    }
  }
}

template <class Work>
__device__ void multiply(TileRing& ring, const Work& work, int K) {
  const int warpgroup = threadIdx.x / WARPGROUP;
  const auto release = [&](int stage) {
    if (threadIdx.x % WARPGROUP == 0) arrive(&ring.empty[stage]);
  };
  Place<STAGES> at;
  for (int i = work.first(); i < work.count(); i = work.next(i)) {
    uint32_t sum[128];
    int last = 0;
    for (int k0 = 0; k0 < K; k0 += DEPTH, at.advance()) {
      const auto& stage = ring.tiles[at.stage];
      wait(&ring.full[at.stage], at.parity);
      start_product<__nv_bfloat16>(sum, stage.A + warpgroup * PANEL, stage.B, k0 > 0);
      wgmma_wait<1>();
      if (k0 > 0) release(last);
      last = at.stage;
    }
    wgmma_wait<0>();
    release(last);
    work.store(i, sum, warpgroup);
  }
}

/// For all threads of a block.
template <class Work>
__device__ void multiply_tiles(TileRing& ring, const Work& work, int K) {
  if (threadIdx.x == 0) ring.init_barriers(CONSUMERS);
  __syncthreads();
  if (threadIdx.x / WARPGROUP == CONSUMERS) {
    give_registers<40>();
    if (threadIdx.x % WARPGROUP == 0) fill(ring, work, K);
  } else {
    take_registers<232>();
    multiply(ring, work, K);
  }
}
