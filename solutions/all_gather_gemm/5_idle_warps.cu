// Clusters with multicast, and the producer's three idle warps copy: all SMs multiply all the time.
//
// The product is that of hgemm's rung 11, in cluster_roles.h: the blocks of a cluster load B for
// each other, and the TMA unit stores C. One thread of the producer's warpgroup has work; the other
// three warps of each block bring the peers' rows, a row of tiles at a time. As in rung 4, flags
// say who has started and who has been read: no copy engine, event or other kernel is needed.
//
// Prediction: hgemm's rung 11 does 740 TFLOP/s where its rung 9, as here rung 3, does 687. 33.5 MB
// at 360 GB/s are hidden: 0.66 ms, and 49 us at M 512. Beaten: 767 TFLOP/s, as 740 was an H100's,
// whose limit is 5 % lower. Missed: 56 us at M 512, where half of the tiles wait for the copies.
// Measured: 614.8 us at 8192x7168x4096x2, 82 % of the limit (H200, 2026-11-30)
#include "gather_tiles.h"

template <int COLS>
struct IdleWarps : GatheredRows {
  __host__ __device__ TileOrder order() const {
    return {gpus * tile_rows(), kata::ceil_div(N, COLS)};
  }
  __host__ __device__ int count() const { return order().count(); }
  __device__ Tile operator()(int i, int rank) const {
    const int2 tile = order()[i];
    const int tile_row = tile.x % tile_rows();
    return {(me + tile.x / tile_rows()) % gpus, tile_row, tile_row * ROWS + rank * BM,
            tile.y * COLS};
  }

  /// This thread's share of a row of tiles: four loads are on the way at a time.
  __device__ void copy_rows(int device, int tile_row, int helper) const {
    const int before = tile_row * ROWS * (K / 8) + helper, step = gridDim.x * HELPERS;
    const uint4* from = shards[device] + before;
    uint4* to = copies + int64_t{device} * shard * (K / 8) + before;
    for (int left = min(ROWS, shard - tile_row * ROWS) * (K / 8) - helper; left > 0;
         left -= 4 * step, from += 4 * step, to += 4 * step) {
      uint4 cell[4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (i * step < left) cell[i] = from[i * step];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (i * step < left) to[i * step] = cell[i];
    }
  }

  /// By the warps beside the producer: brings the peers' rows in the order of the tiles. The first
  /// warp of the device sees to it that no peer ends while its rows are read.
  __device__ void help(int thread, int, const unsigned*) const {
    const int helper = blockIdx.x * HELPERS + thread, rows = tile_rows();
    for (int i = 0; i < (gpus - 1) * rows; ++i) {
      const int device = (me + 1 + i / rows) % gpus, tile_row = i % rows;
      if (tile_row == 0 && thread % 32 == 0) wait_for_all(flags[me] + device, round);
      __syncwarp();
      copy_rows(device, tile_row, helper);
      __syncwarp();
      if (thread % 32 == 0) {
        Count* const count = count_of(device, tile_row);
        atomicMax(count, Count{round} * ROUND);
        add_here(count);
      }
    }
    if (helper >= gpus || helper == me) return;
    for (int t = 0; t < rows; ++t) wait_for_rows(helper, t);
    raise_for_all(flags[helper] + MAX_GPUS + me, round);
    wait_for_all(flags[me] + MAX_GPUS + helper, round);
  }
};

template <int COLS>
__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS)
    gather_kernel(const __grid_constant__ IdleWarps<COLS> work) {
  extern __shared__ __align__(1024) char tile_memory[];
  if (blockIdx.x == 0 && threadIdx.x < work.gpus)
    raise_for_all(work.flags[threadIdx.x] + work.me, work.round);
  multiply_tiles(*reinterpret_cast<TileMemory<COLS>*>(tile_memory), work, work.K);
}

/// All blocks run at once: as many as have a tile, or more if that shortens the copies.
template <int COLS>
int clusters_of(const IdleWarps<COLS>& work) {
  const int64_t cells = int64_t{work.gpus - 1} * min(work.shard, ROWS) * (work.K / 8),
                for_copies = kata::ceil_div(cells, int64_t{4 * CLUSTER * HELPERS});
  return std::min<int64_t>(processors() / CLUSTER, std::max<int64_t>(work.count(), for_copies));
}

template <int COLS>
void gather(const __nv_bfloat16* const* A, const __nv_bfloat16* const* B, __nv_bfloat16* const* C,
            void* const* scratch, int M, int N, int K, int gpus, unsigned round,
            const cudaStream_t* streams) {
  IdleWarps<COLS> work = {};
  work.round = round, work.shard = M / gpus, work.N = N, work.K = K, work.gpus = gpus;
  for (int g = 0; g < gpus; ++g) {
    work.shards[g] = reinterpret_cast<const uint4*>(A[g]);
    work.flags[g] = reinterpret_cast<unsigned*>(static_cast<char*>(scratch[g]) + COUNTS);
  }
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    __nv_bfloat16* const all = gathered(scratch[g]);
    work.me = g;
    work.copies = reinterpret_cast<uint4*>(all);
    work.come = static_cast<Count*>(scratch[g]);
    work.own = map_of_stack(A[g], 1, work.shard, K, BM);
    work.gathered = map_of_stack(all, gpus, work.shard, K, BM);
    work.B = tensor_map(B[g], K, N, N, 64);
    work.C = map_of_stack(C[g], gpus, work.shard, N, 64);
    cudaFuncSetAttribute(gather_kernel<COLS>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         sizeof(TileMemory<COLS>));
    gather_kernel<COLS>
        <<<clusters_of(work) * CLUSTER, THREADS, sizeof(TileMemory<COLS>), streams[g]>>>(work);
  }
}

extern "C" void all_gather_gemm(const __nv_bfloat16* const* A, const __nv_bfloat16* const* B,
                                __nv_bfloat16* const* C, void* const* scratch, int M, int N, int K,
                                int gpus, const cudaStream_t* streams) {
  static unsigned round = 0;
  if (!is_aligned(N, K)) return gemm_by_chunks(A, B, C, scratch, M, N, K, gpus, streams);
  const CurrentDevice restore;
  const int tile_rows = gpus * kata::ceil_div(M / gpus, ROWS);
  const auto run = are_few(tile_rows, N) ? gather<128> : gather<256>;
  run(A, B, C, scratch, M, N, K, gpus, ++round, streams);
}
