// The producer's three idle warps send a tile while the next one is multiplied.
//
// In rung 5 all SMs store 64 KB for the peer at one time, 2.7 bytes per ns each, and have room for
// half of it: the consumers wait 10 us for the link. Here the TMA unit stores in the device's own
// memory, at the speed of L2. The idle warps of the block, as in all_gather_gemm's rung 5, read the
// tile from there and write it to the owner's slot, with most of 80 us to do so.
//
// Prediction: 4 of a block's 8 tiles no longer wait 10 us: 627 us at K 7168, as all_gather_gemm
// takes for the same product, and 712 at 8192. 54 us at M 512, where nothing can hide the link.
// Measured: 630.0 us at 8192x4096x7168x2, 81 % of the limit (H200, 2026-11-30)
#include "chunks.h"
#include "part_tiles.h"

template <int COLS>
struct SentByIdleWarps : PartTiles<COLS> {
  using Tiles = PartTiles<COLS>;
  using Tiles::C, Tiles::first_flag, Tiles::flags, Tiles::me, Tiles::N, Tiles::round, Tiles::shard;
  using PartTiles<COLS>::PartTiles;
  using typename Tiles::Tile;

  CUtensorMap own;      // [gpus, shard, N] in scratch memory, by owner
  const uint4* from;    // the same
  uint4* to[MAX_GPUS];  // this device's slot at each owner

  __device__ void store(const Tile& tile, int row, int panel, const char* results) const {
    const bool is_own = tile.owner == me;
    store_box_of(is_own ? C : own, is_own ? 0 : tile.owner, tile.row + row, tile.col + panel,
                 results);
  }
  __device__ void stored(const Tile&, int) const {}

  /// Each thread has a column of cells of 16 bytes: four are on the way at a time.
  __device__ void send(const Tile& tile, int thread) const {
    constexpr int CELLS = COLS / 8, AT_ONCE = HELPERS / CELLS;  // of a row; rows
    const int pitch = N / 8, col = tile.col / 8 + thread % CELLS, row = thread / CELLS;
    if (col >= pitch) return;
    const uint4* const source = from + int64_t{tile.owner} * shard * pitch;
    uint4* const target = to[tile.owner];
    int cell = (tile.row + row) * pitch + col;
    for (int left = min(BM, shard - tile.row) - row; left > 0; left -= 4 * AT_ONCE) {
      uint4 four[4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (i * AT_ONCE < left) four[i] = __ldcg(source + cell + i * AT_ONCE * pitch);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (i * AT_ONCE < left) target[cell + i * AT_ONCE * pitch] = four[i];
      cell += 4 * AT_ONCE * pitch;
    }
  }

  /// When the owner's kernel has started, its last one is over: it no longer reads its slots.
  __device__ void help(int thread, int rank, const unsigned* written) const {
    unsigned tiles = 0;
    for (int i = blockIdx.x / CLUSTER; i < this->count(); i += gridDim.x / CLUSTER) {
      const Tile tile = (*this)(i, rank);
      if (tile.owner == me) return;  // and so are all that follow
      ++tiles;
      if (thread < CONSUMERS) wait_in_block(written + thread, tiles);
      if (thread == 0) wait_for_all(flags[me] + tile.owner, round);
      helpers_barrier();
      send(tile, thread);
      helpers_barrier();
      if (thread < CONSUMERS)
        raise_for_all(flags[tile.owner] + first_flag(me) + tile.flag + thread, round);
    }
  }
};

template <int COLS>
__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS)
    part_kernel(const __grid_constant__ SentByIdleWarps<COLS> work, int K) {
  extern __shared__ __align__(1024) char tile_memory[];
  if (blockIdx.x == 0 && threadIdx.x < work.gpus)
    raise_for_all(work.flags[threadIdx.x] + work.me, work.round);
  multiply_tiles(*reinterpret_cast<TileMemory<COLS>*>(tile_memory), work, K);
}

template <int COLS>
void multiply_parts(SentByIdleWarps<COLS> work, const __nv_bfloat16* const* A,
                    const __nv_bfloat16* const* B, __nv_bfloat16* const* C, void* const* scratch,
                    int K, const cudaStream_t* streams) {
  for (int g = 0; g < work.gpus; ++g) {
    cudaSetDevice(g);
    work.set_matrices(A[g], B[g], C[g], scratch, K, g);
    const int M = work.shard * work.gpus, N = work.N;
    const size_t part = static_cast<size_t>(work.shard) * N;
    for (int h = 0; h < work.gpus; ++h)
      work.to[h] = reinterpret_cast<uint4*>(PartMemory(scratch[h], M, N).slots + g * part);
    const __nv_bfloat16* const own = PartMemory(scratch[g], M, N).own;
    work.from = reinterpret_cast<const uint4*>(own);
    work.own = map_of_stack(own, work.gpus, work.shard, N, 64);
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
  if (!is_aligned(N, K) || !SentByIdleWarps<128>(shard, N, gpus, 0).has_flags()) {
    gemm_by_chunks(A, B, C, scratch, M, N, K, gpus, streams);
  } else if (are_few(gpus * kata::ceil_div(shard, ROWS), N)) {
    multiply_parts(SentByIdleWarps<128>(shard, N, gpus, ++round), A, B, C, scratch, K, streams);
  } else {
    multiply_parts(SentByIdleWarps<256>(shard, N, gpus, ++round), A, B, C, scratch, K, streams);
  }
}
