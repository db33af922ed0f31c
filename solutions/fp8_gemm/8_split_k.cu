// Two blocks for a tile where there are few: each takes half of K.
//
// With 128 rows there are 56 tiles for 132 SMs. What counts then is how many SMs read B. Here a
// cluster of two shares a tile: each block adds up half of the blocks of K, gives half of its sums to
// the other block through distributed shared memory, and stores the other half.
//
// Prediction: 112 SMs read B at 35 GB/s each: 117 MB in 30 us at 128 x 7168 x 16384, where rung 7
// needs 51. Missed: 54, where rung 7 needs 73: a block has 64 steps of 700 clocks, as before.
// Measured: 260.9 us at 4096x4096x7168, 49 % of the limit (H200, 2026-11-30)
#include <cooperative_groups.h>

#include "two_sums.h"

struct SplitMemory : Memory {
  float given[64][WARPGROUP];  // sums for the other block
};

__global__ void __cluster_dims__(2) __launch_bounds__(THREADS)
    split_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                 Scales scales, __nv_bfloat16* C, int tiles_in_row) {
  extern __shared__ SplitMemory split_memory[];
  SplitMemory& memory = split_memory[0];
  const auto cluster = cooperative_groups::this_cluster();
  const int warpgroup = threadIdx.x / WARPGROUP, tid = threadIdx.x % WARPGROUP;
  const int rank = blockIdx.x % 2, tile = blockIdx.x / 2;
  const int row0 = tile / tiles_in_row * ROWS, col0 = tile % tiles_in_row * COLS;
  const int begin = scales.blocks * rank / 2, end = scales.blocks * (rank + 1) / 2;
  if (threadIdx.x == 0) memory.init_barriers(CONSUMERS);
  __syncthreads();

  Place<STAGES> at;
  if (warpgroup == CONSUMERS) {
    give_registers<40>();
    for (int block = begin; tid == 0 && block < end; ++block, at.advance()) {
      wait(&memory.empty[at.stage], at.parity ^ 1);
      load_stage(memory.stages[at.stage], A, B, row0, col0, block, &memory.full[at.stage]);
    }
    cluster.sync();
  } else {
    take_registers<232>();
    const Corner corner = Corner::of(row0, col0, warpgroup);
    Sums total = {}, sums;
    for (int block = begin; block < end; ++block, at.advance()) {
      const float2 factor = scales_at(scales, corner, block);
      wait(&memory.full[at.stage], at.parity);
      start_block(sums, memory.stages[at.stage], warpgroup);
      wgmma_wait<0>();
      settle(sums);
      if (tid == 0) arrive(&memory.empty[at.stage]);
      promote(total, sums, factor);
    }
    // Block 0 stores the rows of warpgroup 0, block 1 those of warpgroup 1.
    if (warpgroup != rank) {
#pragma unroll
      for (int i = 0; i < 64; ++i) memory.given[i][tid] = total[i];
    }
    cluster.sync();
    if (warpgroup == rank) {
      const SplitMemory& other = *cluster.map_shared_rank(&memory, rank ^ 1);
#pragma unroll
      for (int i = 0; i < 64; ++i) total[i] += other.given[i][tid];
      store_sums(total, C, scales.M, scales.N, corner);
    }
  }
  cluster.sync();  // the other block may still read what this one gave
}

extern "C" void fp8_gemm(const fp8* A, const fp8* B, const float* scale_a, const float* scale_b,
                         __nv_bfloat16* C, int M, int N, int K) {
  const Scales scales = Scales::of(scale_a, scale_b, M, N, K);
  const int tiles_in_row = kata::ceil_div(N, COLS), tiles = kata::ceil_div(M, ROWS) * tiles_in_row;
  if (2 * tiles > processors()) return launch_clusters<TwoSums>(A, B, scales, C, K);
  const CUtensorMap map_A = map_of(A, M, K, ROWS), map_B = map_of(B, N, K, COLS);
  cudaFuncSetAttribute(split_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       sizeof(SplitMemory));
  split_kernel<<<2 * tiles, THREADS, sizeof(SplitMemory)>>>(map_A, map_B, scales, C, tiles_in_row);
}
