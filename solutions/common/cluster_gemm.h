#pragma once
// C = A B on wgmma by persistent clusters, as hgemm's rung 10, for other types and other last steps.
//
// A is [M, K]; B is [K, N], or [N, K] for bytes. `store` does the last step: store(row, col, x, y)
// stores a pair of neighbouring columns, also outside C; store.packed(row, col, x, y) gives a pair
// of 16-bit results for a C that the TMA unit stores. Sums of bytes are the results.

#include <algorithm>

#include "wgmma_tile.h"

constexpr int STAGES = 4, CLUSTER = 2, CONSUMERS = 2, BM = 64 * CONSUMERS;
constexpr int THREADS = WARPGROUP * (CONSUMERS + 1);
struct Memory {
  Ring<BM, STAGES> ring;
  alignas(1024) char staging[CONSUMERS][2][PANEL];  // panels of C on their way out
};

// What a cluster does at one time: a tile of C, 256 x 256, from k_begin to k_end.
struct Piece {
  int2 tile;
  int k_begin, k_end;
};

// Which pieces there are: here the tiles. complete(sum, ...) is called with the sums of a piece; they
// are stored if it returns true.
struct WholeTiles {
  TileOrder order;
  int K;

  static WholeTiles of(TileOrder order, int K, int) { return {order, K}; }
  __host__ __device__ int count() const { return order.count(); }
  __device__ Piece operator[](int i) const { return {order[i], 0, K}; }
  __device__ bool complete(uint32_t (&)[128], int, int) const { return true; }
};

// 16 rows of a panel of 64 columns of 16-bit results: four matrices of 8 x 8 at a time. `panel` is
// the warp's first row in shared memory; row0 is a multiple of 16, so that its swizzle starts there.
template <class Store>
__device__ void write_packed(char* panel, const uint32_t* sum, int row0, int col0,
                             const Store& store) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    uint32_t pairs[4];
#pragma unroll
    for (int m = 0; m < 4; ++m) {
      const uint32_t* const pair = sum + 8 * i + 2 * m;
      pairs[m] = store.packed(row0 + lane / 4 + m % 2 * 8, col0 + 16 * i + lane % 4 * 2 + m / 2 * 8,
                              __uint_as_float(pair[0]), __uint_as_float(pair[1]));
    }
    const int row = lane % 16, cell = 2 * i + lane / 16;
    store_matrices(panel + row * 128 + (cell ^ row % 8) * 16, pairs[0], pairs[1], pairs[2],
                   pairs[3]);
  }
}

// The same for a panel of 32 columns of ints: 8 bytes of a row by each thread.
__device__ inline void write_ints(char* panel, const uint32_t* sum) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int row = lane / 4 + i % 2 * 8, cell = i / 2 * 2 + lane % 4 / 2;
    *reinterpret_cast<uint2*>(panel + row * 128 + (cell ^ row % 8) * 16 + lane % 2 * 8) =
        make_uint2(sum[2 * i], sum[2 * i + 1]);
  }
}

// Hands 64 rows of C to the TMA unit, a panel at a time: to shared memory in its swizzle, then one
// box. It reads one panel while the next is written. For a whole warpgroup.
template <class T, class Store>
__device__ void store_by_tma(const uint32_t (&sum)[128], int row0, int col0, const CUtensorMap& C,
                             char (&staging)[2][PANEL], const Store& store) {
  constexpr int COLS = N_MAJOR<T> ? 64 : 32, SUMS = COLS / 2;  // of a panel; of a thread's sums
  const int tid = threadIdx.x % WARPGROUP, warp = tid / 32;
  const int barrier = 1 + threadIdx.x / WARPGROUP;
#pragma unroll
  for (int i = 0; i < BN / COLS; ++i) {
    char* const panel = staging[i % 2];
    if (tid == 0) wait_stores_read<1>();
    warpgroup_barrier(barrier);
    if constexpr (N_MAJOR<T>) {
      write_packed(panel + warp * 16 * 128, sum + SUMS * i, row0 + 16 * warp, col0 + COLS * i, store);
    } else {
      write_ints(panel + warp * 16 * 128, sum + SUMS * i);
    }
    fence_async();
    warpgroup_barrier(barrier);
    if (tid == 0) store_box(C, row0, col0 + COLS * i, panel);
  }
}

// The first stages of a cluster's first piece; returns how many. A block's own loads need no other
// block, so they may start before the cluster has met, but not by multicast.
template <class T>
__device__ int load_first_stages(Ring<BM, STAGES>& ring, const CUtensorMap& A,
                                 const CUtensorMap& B, Piece piece, int rank) {
  fence_async();  // the TMA unit must see the barriers, too
  const int row0 = (piece.tile.x * CLUSTER + rank) * BM, col0 = piece.tile.y * BN;
  int s = 0;
  for (int k0 = piece.k_begin; s < STAGES && k0 < piece.k_end; ++s, k0 += BK<T>) {
    load_tiles<T>(ring.tiles[s], A, B, row0, col0, k0, &ring.full[s]);
  }
  return s;
}

// EARLY: the producer starts its first loads before the cluster's barrier.
template <class T, bool BY_TMA, bool EARLY, class Work, class Store>
__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS)
    cluster_gemm_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                        const __grid_constant__ CUtensorMap C, Work work, Store store) {
  extern __shared__ Memory memory[];
  auto& ring = memory[0].ring;
  const int warpgroup = threadIdx.x / WARPGROUP, tid = threadIdx.x % WARPGROUP;
  const int rank = rank_in_cluster();
  const int first = blockIdx.x / CLUSTER, clusters = gridDim.x / CLUSTER;
  int loaded = 0;
  if (threadIdx.x == (EARLY ? CONSUMERS * WARPGROUP : 0)) {
    ring.init_barriers(CONSUMERS * CLUSTER);
    if constexpr (EARLY) loaded = load_first_stages<T>(ring, A, B, work[first], rank);
  }
  cluster_barrier();

  Place<STAGES> at;
  if (warpgroup == CONSUMERS) {
    give_registers<40>();
    for (int i = first; tid == 0 && i < work.count(); i += clusters) {
      const Piece piece = work[i];
      const int row0 = (piece.tile.x * CLUSTER + rank) * BM, col0 = piece.tile.y * BN;
      for (int k0 = piece.k_begin; k0 < piece.k_end; k0 += BK<T>, at.advance()) {
        if (EARLY && loaded-- > 0) continue;
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
    for (int i = first; i < work.count(); i += clusters) {
      const Piece piece = work[i];
      uint32_t sum[128];
      int last = 0;
      for (int k0 = piece.k_begin; k0 < piece.k_end; k0 += BK<T>, at.advance()) {
        const auto& stage = ring.tiles[at.stage];
        wait(&ring.full[at.stage], at.parity);
        start_product<T>(sum, stage.A + warpgroup * PANEL, stage.B, k0 > piece.k_begin);
        wgmma_wait<1>();
        if (k0 > piece.k_begin) release(last);
        last = at.stage;
      }
      wgmma_wait<0>();
      release(last);
      if (!work.complete(sum, i, rank)) continue;
      const int row0 = (piece.tile.x * CLUSTER + rank) * BM + 64 * warpgroup;
      const int col0 = piece.tile.y * BN;
      if constexpr (BY_TMA) {
        store_by_tma<T>(sum, row0, col0, C, memory[0].staging[warpgroup], store);
      } else {
        for_each_pair<T>(sum, row0, col0, store);
      }
    }
    if (BY_TMA && tid == 0) wait_stores_read<0>();
  }
  cluster_barrier();
}

// Matrices whose rows are not aligned are padded in scratch memory, see aligned_rows.h.
template <class Work, bool BY_TMA, bool EARLY, class T, class Out, class Store>
void launch_cluster_gemm(const T* A, const T* B, Out* C, int M, int N, int K, const Store& store) {
  static Scratch<uint4> scratch_A, scratch_B;
  const CUtensorMap a = map_of_A(aligned_rows(A, M, K, scratch_A), M, K, BM);
  const CUtensorMap b = N_MAJOR<T> ? map_of_B(aligned_rows(B, K, N, scratch_B), N, K)
                                   : map_of_B(aligned_rows(B, N, K, scratch_B), N, K);
  const CUtensorMap c = BY_TMA ? tensor_map(C, M, N, N, 64) : CUtensorMap{};
  const TileOrder order{kata::ceil_div(M, BM * CLUSTER), kata::ceil_div(N, BN)};
  const Work work = Work::of(order, K, processors() / CLUSTER);
  const int grid = std::min(processors() / CLUSTER, work.count()) * CLUSTER;
  const auto kernel = cluster_gemm_kernel<T, BY_TMA, EARLY, Work, Store>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Memory));
  kernel<<<grid, THREADS, sizeof(Memory)>>>(a, b, c, work, store);
}

// The TMA unit stores C if its rows are aligned.
template <class Work = WholeTiles, bool EARLY = false, class T, class Out, class Store>
void cluster_gemm(const T* A, const T* B, Out* C, int M, int N, int K, const Store& store) {
  if (N * sizeof(Out) % 16 == 0) {
    launch_cluster_gemm<Work, true, EARLY>(A, B, C, M, N, K, store);
  } else {
    launch_cluster_gemm<Work, false, EARLY>(A, B, C, M, N, K, store);
  }
}
