#pragma once
// Persistent clusters of 2 x 2 blocks, which share the tiles that they load: rungs 6 and 7.

#include "roles.h"

constexpr int CLUSTER = 4;

// A block's place in its cluster: blocks of a row share A's tile, blocks of a column B's.
struct Member {
  int rank = rank_in_cluster();

  __device__ int row() const { return rank / 2; }
  __device__ int col() const { return rank % 2; }
};

// A block loads half of A's tile for its row of the cluster, and half of B's for its column.
__device__ inline void load_shared_stage(Stage& stage, const CUtensorMap& A, const CUtensorMap& B,
                                         int row0, int col0, int block, Member member,
                                         Barrier* full) {
  constexpr int HALF = ROWS / 2;
  const int a = member.col() * HALF, b = member.row() * HALF, k0 = block * BLOCK_K;
  arrive_expecting(full, sizeof(Stage));
  load_box_multicast(stage.A + a * 128, A, row0 + a, k0, full, 0b0011 << 2 * member.row());
  load_box_multicast(stage.B + b * 128, B, col0 + b, k0, full, 0b0101 << member.col());
}

// Consumer: how a warpgroup makes its sums, see OneSum.
template <class Consumer>
__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS)
    cluster_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                   Scales scales, __nv_bfloat16* C, TileOrder order) {
  extern __shared__ Memory memory[];
  const int warpgroup = threadIdx.x / WARPGROUP, tid = threadIdx.x % WARPGROUP;
  const Member member;
  // A stage is free when three blocks have read it: those that this block sends something.
  if (threadIdx.x == 0) memory[0].init_barriers(CONSUMERS * 3);
  cluster_barrier();

  const auto corner_of = [&](int i) {
    const int2 four = order[i];
    return make_int2((2 * four.x + member.row()) * ROWS, (2 * four.y + member.col()) * COLS);
  };
  const int first = blockIdx.x / CLUSTER, clusters = gridDim.x / CLUSTER;
  Place<STAGES> at;
  if (warpgroup == CONSUMERS) {
    give_registers<40>();
    for (int i = first; tid == 0 && i < order.count(); i += clusters) {
      const int2 corner = corner_of(i);
      for (int block = 0; block < scales.blocks; ++block, at.advance()) {
        wait(&memory[0].empty[at.stage], at.parity ^ 1);
        load_shared_stage(memory[0].stages[at.stage], A, B, corner.x, corner.y, block, member,
                          &memory[0].full[at.stage]);
      }
    }
  } else {
    take_registers<232>();
    // In this block, and in those that differ in the column or in the row.
    const auto release = [&](int stage) {
      if (tid < 3) arrive_at(&memory[0].empty[stage], member.rank ^ tid);
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

// An H200 has room for 32 clusters of 4: its groups of 16 or 18 SMs leave some over.
template <class Consumer>
void launch_clusters(const fp8* A, const fp8* B, const Scales& scales, __nv_bfloat16* C, int K) {
  const int M = scales.M, N = scales.N;
  const CUtensorMap map_A = map_of(A, M, K, ROWS / 2), map_B = map_of(B, N, K, COLS / 2);
  const TileOrder order{kata::ceil_div(M, 2 * ROWS), kata::ceil_div(N, 2 * COLS)};
  const int clusters = std::min(std::max(processors() / CLUSTER - 1, 1), order.count());
  cudaFuncSetAttribute(cluster_kernel<Consumer>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       sizeof(Memory));
  cluster_kernel<Consumer>
      <<<CLUSTER * clusters, THREADS, sizeof(Memory)>>>(map_A, map_B, scales, C, order);
}
