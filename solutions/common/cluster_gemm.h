#pragma once
// C = A B on wgmma by persistent clusters, as hgemm's rung 10, for other types and other last steps.
//
// A is [M, K]; B is [K, N], or [N, K] for bytes. `store` does the last step: store(row, col, x, y)
// stores a pair of neighbouring columns, also outside C, and store.packed(row, col, x, y) gives a
// pair of 16-bit results for a C that the TMA unit stores.

#include <algorithm>

#include "wgmma_tile.h"

constexpr int STAGES = 4, CLUSTER = 2, CONSUMERS = 2, BM = 64 * CONSUMERS;
constexpr int THREADS = WARPGROUP * (CONSUMERS + 1);

struct Memory {
  Ring<BM, STAGES> ring;
  alignas(1024) char staging[CONSUMERS][2][PANEL];  // 64 rows of 128 bytes of C, twice
};

// Hands 64 rows of C to the TMA unit, 64 columns at a time: to shared memory in its swizzle, then
// one box. It reads one panel while the next is written. For a whole warpgroup.
template <class Store>
__device__ void store_by_tma(const uint32_t (&sum)[128], int row0, int col0, const CUtensorMap& C,
                             char (&staging)[2][PANEL], const Store& store) {
  const int tid = threadIdx.x % WARPGROUP, lane = tid % 32, warp = tid / 32;
  const int barrier = 1 + threadIdx.x / WARPGROUP;
#pragma unroll
  for (int panel = 0; panel < BN / 64; ++panel) {
    char* const to = staging[panel % 2];
    if (tid == 0) wait_stores_read<1>();
    warpgroup_barrier(barrier);
#pragma unroll
    for (int i = 0; i < 4; ++i) {  // 16 x 16 results per warp: four matrices of 8 x 8
      uint32_t pairs[4];
#pragma unroll
      for (int m = 0; m < 4; ++m) {
        const uint32_t* const pair = sum + 32 * panel + 8 * i + 2 * m;
        const int row = row0 + 16 * warp + lane / 4 + m % 2 * 8;
        const int col = col0 + 64 * panel + 16 * i + lane % 4 * 2 + m / 2 * 8;
        pairs[m] = store.packed(row, col, __uint_as_float(pair[0]), __uint_as_float(pair[1]));
      }
      const int row = 16 * warp + lane % 16, cell = 2 * i + lane / 16;
      store_matrices(to + row * 128 + (cell ^ row % 8) * 16, pairs[0], pairs[1], pairs[2],
                     pairs[3]);
    }
    fence_async();
    warpgroup_barrier(barrier);
    if (tid == 0) store_box(C, row0, col0 + 64 * panel, to);
  }
}

template <class T, bool BY_TMA, class Store>
__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS)
    cluster_gemm_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                        const __grid_constant__ CUtensorMap C, TileOrder order, int K,
                        Store store) {
  extern __shared__ Memory memory[];
  auto& ring = memory[0].ring;
  const int warpgroup = threadIdx.x / WARPGROUP, tid = threadIdx.x % WARPGROUP;
  const int rank = rank_in_cluster();
  const int first = blockIdx.x / CLUSTER, clusters = gridDim.x / CLUSTER;
  if (threadIdx.x == 0) ring.init_barriers(CONSUMERS * CLUSTER);
  cluster_barrier();

  Place<STAGES> at;
  if (warpgroup == CONSUMERS) {
    give_registers<40>();
    for (int i = first; tid == 0 && i < order.count(); i += clusters) {
      const int row0 = (order[i].x * CLUSTER + rank) * BM, col0 = order[i].y * BN;
      for (int k0 = 0; k0 < K; k0 += BK<T>, at.advance()) {
        wait(&ring.empty[at.stage], at.parity ^ 1);
        load_shared_tiles<T, CLUSTER>(ring.tiles[at.stage], A, B, row0, col0, k0, rank,
                                      &ring.full[at.stage]);
      }
    }
  } else {
    take_registers<232>();
    const auto release = [&](int stage) {
      if (tid < CLUSTER) arrive_at(&ring.empty[stage], tid);
    };
    for (int i = first; i < order.count(); i += clusters) {
      const int row0 = (order[i].x * CLUSTER + rank) * BM + 64 * warpgroup;
      const int col0 = order[i].y * BN;
      uint32_t sum[128];
      int last = 0;
      for (int k0 = 0; k0 < K; k0 += BK<T>, at.advance()) {
        const auto& stage = ring.tiles[at.stage];
        wait(&ring.full[at.stage], at.parity);
        start_product<T>(sum, stage.A + warpgroup * PANEL, stage.B, k0 > 0);
        wgmma_wait<1>();
        if (k0 > 0) release(last);
        last = at.stage;
      }
      wgmma_wait<0>();
      release(last);
      if constexpr (BY_TMA) {
        store_by_tma(sum, row0, col0, C, memory[0].staging[warpgroup], store);
      } else {
        for_each_pair<T>(sum, row0, col0, store);
      }
    }
    if (BY_TMA && tid == 0) wait_stores_read<0>();
  }
  cluster_barrier();
}

// Matrices whose rows are not aligned are padded in scratch memory, see aligned_rows.h.
template <class T, bool BY_TMA, class Out, class Store>
void launch_cluster_gemm(const T* A, const T* B, Out* C, int M, int N, int K, const Store& store) {
  static Scratch<uint4> scratch_A, scratch_B;
  const CUtensorMap a = map_of_A(aligned_rows(A, M, K, scratch_A), M, K, BM);
  const CUtensorMap b = N_MAJOR<T> ? map_of_B(aligned_rows(B, K, N, scratch_B), N, K)
                                   : map_of_B(aligned_rows(B, N, K, scratch_B), N, K);
  const CUtensorMap c = BY_TMA ? tensor_map(C, M, N, N, 64) : CUtensorMap{};
  const TileOrder order{kata::ceil_div(M, BM * CLUSTER), kata::ceil_div(N, BN)};
  const int grid = std::min(processors() / CLUSTER, order.count()) * CLUSTER;
  const auto kernel = cluster_gemm_kernel<T, BY_TMA, Store>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Memory));
  kernel<<<grid, THREADS, sizeof(Memory)>>>(a, b, c, order, K, store);
}

// 16-bit results. The TMA unit stores them if C's rows are aligned.
template <class T, class Store>
void cluster_gemm(const T* A, const T* B, T* C, int M, int N, int K, const Store& store) {
  if (N % 8 == 0) {
    launch_cluster_gemm<T, true>(A, B, C, M, N, K, store);
  } else {
    launch_cluster_gemm<T, false>(A, B, C, M, N, K, store);
  }
}
