#pragma once
// The kernel of rungs 4 and 5: one block per SM, which goes through the tiles of all groups.

#include "../common/block_scan.h"
#include "../common/cluster_gemm.h"
#include "groups.h"

constexpr int MOST_GROUPS = 1024;
constexpr int BOX_ROWS = 16;  // of a warp's results

struct GroupMemory {
  Ring<BM, STAGES> ring;
  alignas(1024) char boxes[CONSUMERS * WARPGROUP / 32][BOX_ROWS * 128];  // of rung 5
  int first[MOST_GROUPS + 1];  // row of tiles with which a group begins
};

// B [groups, K, N] in boxes of 64 rows of 64 columns of one group.
inline CUtensorMap map_of_groups(AlignedRows<__nv_bfloat16> B, int groups, int N, int K) {
  const cuuint64_t row = B.stride * sizeof(__nv_bfloat16);
  const cuuint64_t size[] = {static_cast<cuuint64_t>(N), static_cast<cuuint64_t>(K),
                             static_cast<cuuint64_t>(groups)};
  const cuuint64_t strides[] = {row, row * K};
  const cuuint32_t box[] = {64, 64, 1};
  return encode_map(B.data, 3, size, strides, box);
}

__device__ inline void load_box_of(void* tile, const CUtensorMap& map, int group, int row, int col,
                                   Barrier* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(tile)),
      "l"(&map), "r"(col), "r"(row), "r"(group), "r"(shared_address(barrier))
      : "memory");
}

// Fills memory.first. All threads of the block call it; a barrier must follow.
__device__ inline void number_tiles(GroupMemory& memory, const int* offsets, int groups) {
  int before = 0;
  for (int first = 0; first < groups; first += THREADS) {
    const int g = first + threadIdx.x;
    const int tiles = g < groups ? kata::ceil_div(offsets[g + 1] - offsets[g], BM) : 0;
    int total;
    const int own = before + block_exclusive_scan<THREADS>(tiles, total);
    if (g < groups) memory.first[g] = own;
    before += total;
  }
  if (threadIdx.x == 0) memory.first[groups] = before;
}

struct GroupTile {
  int group, row0, end, col0;
};

// Tile `index` of all groups' tiles; `cols` columns of tiles. Those of a column come one after the
// other.
__device__ inline GroupTile tile_at(const GroupMemory& memory, const int* offsets, int groups,
                                    int cols, int index) {
  const int g = group_of(memory.first, groups, index / cols);
  const int height = memory.first[g + 1] - memory.first[g], own = index - memory.first[g] * cols;
  return {g, offsets[g] + own % height * BM, offsets[g + 1], own / height * BN};
}

// A thread stores pairs of results.
struct StoreGroup {
  __nv_bfloat16* C;  // [M, N]
  int N;

  __device__ void operator()(const uint32_t (&sum)[128], const GroupTile& tile,
                             GroupMemory&) const {
    const int row0 = tile.row0 + threadIdx.x / WARPGROUP * 64;
    for_each_pair<__nv_bfloat16>(sum, row0, tile.col0, StoreRows{C, tile.end, N});
  }
};

// store(sum, tile, memory) stores a warpgroup's 64 rows of a tile.
template <class Store>
__global__ void __launch_bounds__(THREADS)
    persistent_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                      const __grid_constant__ Store store, const int* offsets, int groups, int N,
                      int K) {
  using T = __nv_bfloat16;
  extern __shared__ GroupMemory group_memory[];
  GroupMemory& memory = group_memory[0];
  auto& ring = memory.ring;
  const int warpgroup = threadIdx.x / WARPGROUP, tid = threadIdx.x % WARPGROUP;
  if (threadIdx.x == 0) ring.init_barriers(CONSUMERS);
  number_tiles(memory, offsets, groups);
  __syncthreads();
  const int cols = kata::ceil_div(N, BN), count = memory.first[groups] * cols;

  Place<STAGES> at;
  if (warpgroup == CONSUMERS) {
    give_registers<40>();
    for (int i = blockIdx.x; tid == 0 && i < count; i += gridDim.x) {
      const GroupTile tile = tile_at(memory, offsets, groups, cols, i);
      for (int k0 = 0; k0 < K; k0 += BK<T>, at.advance()) {
        wait(&ring.empty[at.stage], at.parity ^ 1);
        auto& stage = ring.tiles[at.stage];
        arrive_expecting(&ring.full[at.stage], sizeof(stage));
        load_box(stage.A, A, tile.row0, k0, &ring.full[at.stage]);
#pragma unroll
        for (int p = 0; p < BN / 64; ++p) {
          load_box_of(stage.B + p * PANEL, B, tile.group, k0, tile.col0 + 64 * p,
                      &ring.full[at.stage]);
        }
      }
    }
  } else {
    take_registers<232>();
    const auto release = [&](int stage) {
      if (tid == 0) arrive(&ring.empty[stage]);
    };
    for (int i = blockIdx.x; i < count; i += gridDim.x) {
      const GroupTile tile = tile_at(memory, offsets, groups, cols, i);
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
      store(sum, tile, memory);
    }
    wait_stores_read<0>();  // the block's memory may go
  }
}

template <class Store>
void multiply_groups(const __nv_bfloat16* A, const __nv_bfloat16* B, const int* offsets,
                     const Store& store, int groups, int M, int K, int N) {
  static Scratch<uint4> scratch_A, scratch_B;
  const AlignedRows<__nv_bfloat16> a = aligned_rows(A, M, K, scratch_A);
  const AlignedRows<__nv_bfloat16> b = aligned_rows(B, groups * K, N, scratch_B);
  const int most = (kata::ceil_div(M, BM) + groups) * kata::ceil_div(N, BN);
  const auto kernel = persistent_kernel<Store>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(GroupMemory));
  kernel<<<std::min(most, processors()), THREADS, sizeof(GroupMemory)>>>(
      map_of_A(a, M, K, BM), map_of_groups(b, groups, N, K), store, offsets, groups, N, K);
}
