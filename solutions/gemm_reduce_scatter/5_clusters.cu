// Clusters with multicast, and parts that the TMA unit sends and fetches.
//
// The product is that of hgemm's rung 11, in cluster_roles.h. The TMA unit stores a tile in the
// owner's slot 128 bytes of a row at a time; rung 4's threads sent 16, small packets for the link.
// A flag is raised when the next tile is multiplied. A peer's part comes through the ring like two
// more steps of K. Few tiles, as with M 512, take 128 columns: 64 clusters have work instead of 32.
//
// Prediction: 730 TFLOP/s as hgemm's rung 11 are 0.66 ms, with 0.01 ms to start and end 0.67 ms at
// K 7168, and 57 us at M 512. Missed: right, but the H200 can do 767. All SMs send their tiles at
// one time, and each waits for its share of the link.
// Measured: 661.0 us at 8192x4096x7168x2, 77 % of the limit (H200, 2026-11-30)
#include "chunks.h"
#include "part_tiles.h"

template <int COLS>
struct SentByTma : PartTiles<COLS> {
  using Tiles = PartTiles<COLS>;
  using Tiles::C, Tiles::first_flag, Tiles::flags, Tiles::me, Tiles::round, Tiles::slots;
  using PartTiles<COLS>::PartTiles;
  using typename Tiles::Tile;

  __device__ void store(const Tile& tile, int row, int panel, const char* from) const {
    if (tile.owner == me) return store_box_of(C, 0, tile.row + row, tile.col + panel, from);
    // When the owner's kernel has started, its last one is over: it no longer reads its slots.
    if (panel == 0) {
      wait_for_all(flags[me] + tile.owner, round);
      fence_async_global();
    }
    store_box_of(slots[tile.owner], me, tile.row + row, tile.col + panel, from);
  }
  __device__ void stored(const Tile& tile, int warpgroup) const {
    if (tile.owner == me) return;
    raise_for_all(flags[tile.owner] + first_flag(me) + tile.flag + warpgroup, round);
  }
  __device__ void help(int, int, const unsigned*) const {}
};

template <int COLS>
__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS)
    part_kernel(const __grid_constant__ SentByTma<COLS> work, int K) {
  extern __shared__ __align__(1024) char tile_memory[];
  if (blockIdx.x == 0 && threadIdx.x < work.gpus)
    raise_for_all(work.flags[threadIdx.x] + work.me, work.round);
  multiply_tiles(*reinterpret_cast<TileMemory<COLS>*>(tile_memory), work, K);
}

template <int COLS>
void multiply_parts(SentByTma<COLS> work, const __nv_bfloat16* const* A,
                    const __nv_bfloat16* const* B, __nv_bfloat16* const* C, void* const* scratch,
                    int K, const cudaStream_t* streams) {
  for (int g = 0; g < work.gpus; ++g) {
    cudaSetDevice(g);
    work.set_matrices(A[g], B[g], C[g], scratch, K, g);
    const auto kernel = part_kernel<COLS>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         sizeof(TileMemory<COLS>));
    const int clusters = std::min(processors() / CLUSTER, work.count());
    kernel<<<clusters * CLUSTER, THREADS, sizeof(TileMemory<COLS>), streams[g]>>>(work, K);
  }
}

extern "C" void gemm_reduce_scatter(const __nv_bfloat16* const* A, const __nv_bfloat16* const* B,
                                    __nv_bfloat16* const* C, void* const* scratch, int M, int N,
                                    int K, int gpus, const cudaStream_t* streams) {
  static unsigned round = 0;
  const CurrentDevice restore;
  const int shard = M / gpus;
  if (!is_aligned(N, K) || !SentByTma<128>(shard, N, gpus, 0).has_flags()) {
    gemm_by_chunks(A, B, C, scratch, M, N, K, gpus, streams);
  } else if (are_few(gpus * kata::ceil_div(shard, ROWS), N)) {
    multiply_parts(SentByTma<128>(shard, N, gpus, ++round), A, B, C, scratch, K, streams);
  } else {
    multiply_parts(SentByTma<256>(shard, N, gpus, ++round), A, B, C, scratch, K, streams);
  }
}
