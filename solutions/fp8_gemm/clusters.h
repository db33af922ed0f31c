#pragma once
// Persistent clusters of two blocks, which share the tiles of A that they load: rungs 6 to 8.

#include "roles.h"

constexpr int CLUSTER = 2;

// A block loads half of A's tile for both blocks, and its own tile of B.
__device__ inline void load_shared_stage(Stage& stage, const CUtensorMap& A, const CUtensorMap& B,
                                         int row0, int col0, int block, int rank, Barrier* full) {
  const int half = rank * ROWS / CLUSTER, k0 = block * BLOCK_K;
  arrive_expecting(full, sizeof(Stage));
  load_box_multicast(stage.A + half * BLOCK_K, A, row0 + half, k0, full, (1 << CLUSTER) - 1);
  load_box(stage.B, B, col0, k0, full);
}

// Consumer: how a warpgroup makes its sums, see OneSum.
template <class Consumer>
__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS)
    cluster_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                   Scales scales, __nv_bfloat16* C, TileOrder order) {
  extern __shared__ Memory memory[];
  const int warpgroup = threadIdx.x / WARPGROUP, tid = threadIdx.x % WARPGROUP;
  const int rank = rank_in_cluster();
  // A stage is free when both blocks have read it: this one sends them half of A's tile.
  if (threadIdx.x == 0) memory[0].init_barriers(CONSUMERS * CLUSTER);
  cluster_barrier();

  const auto corner_of = [&](int i) {
    const int2 pair = order[i];
    return make_int2(pair.x * ROWS, (CLUSTER * pair.y + rank) * COLS);
  };
  const int first = blockIdx.x / CLUSTER, clusters = gridDim.x / CLUSTER;
  Place<STAGES> at;
  if (warpgroup == CONSUMERS) {
    give_registers<40>();
    for (int i = first; tid == 0 && i < order.count(); i += clusters) {
      const int2 corner = corner_of(i);
      for (int block = 0; block < scales.blocks; ++block, at.advance()) {
        wait(&memory[0].empty[at.stage], at.parity ^ 1);
        load_shared_stage(memory[0].stages[at.stage], A, B, corner.x, corner.y, block, rank,
                          &memory[0].full[at.stage]);
      }
    }
  } else {
    take_registers<232>();
    const auto release = [&](int stage) {
      if (tid < CLUSTER) arrive_at(&memory[0].empty[stage], tid);
    };
    for (int i = first; i < order.count(); i += clusters) {
      const int2 from = corner_of(i);
      const Corner corner = Corner::of(from.x, from.y, warpgroup);
      Sums total = {};
      Consumer::run(total, memory[0], at, scales, corner, warpgroup, release);
      store_sums(total, C, scales.M, scales.N, corner);
    }
  }
  cluster_barrier();
}

// All SMs have a block: their groups have 16 or 18 of them.
template <class Consumer>
void launch_clusters(const fp8* A, const fp8* B, const Scales& scales, __nv_bfloat16* C, int K) {
  const int M = scales.M, N = scales.N;
  const CUtensorMap map_A = map_of(A, M, K, ROWS / CLUSTER), map_B = map_of(B, N, K, COLS);
  const TileOrder order{kata::ceil_div(M, ROWS), kata::ceil_div(N, CLUSTER * COLS)};
  const int clusters = std::min(std::max(processors() / CLUSTER, 1), order.count());
  cudaFuncSetAttribute(cluster_kernel<Consumer>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       sizeof(Memory));
  cluster_kernel<Consumer>
      <<<CLUSTER * clusters, THREADS, sizeof(Memory)>>>(map_A, map_B, scales, C, order);
}
