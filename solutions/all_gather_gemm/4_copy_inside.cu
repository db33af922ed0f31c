// Some blocks of the product copy first: no copy engine, no event, no other kernel.
//
// The first blocks of each device meet those of the others by flags in scratch memory, so all
// shards are complete. They copy rows of the peers in the order of the tiles, raise a flag for each
// 128, and meet again: no peer still reads this device's rows. Then they multiply like the rest.
// The first tiles, as many as the others can do meanwhile, are not theirs. Rows that TMA cannot
// read take rung 2.
//
// Prediction: 8 of 132 SMs copy for 0.1 ms on 2 devices, which costs the product 0.006 ms. A
// meeting takes 2 us instead of 6 to 8 for events: 0.70 ms on 2 devices and 0.36 ms on 4.
// Measured: 796.0 us at 8192x7168x4096x2, 64 % of the limit (H200, 2026-11-30)
#include <algorithm>

#include "arrival.h"

constexpr int COPIERS = 8;
constexpr int FLAG_BYTES = 32 << 10;  // for the flags of rows; those of copiers come behind them

struct Peers {
  const __nv_bfloat16* A[MAX_GPUS];
  unsigned* met[MAX_GPUS];  // flags by copier and peer
};

/// Copier b of each device waits for copier b of all others. What the other threads of the block
/// did before comes before its flags, since they meet at __syncthreads().
__device__ void meet(const Peers& peers, int gpus, int me, unsigned round) {
  __syncthreads();
  if (threadIdx.x < gpus) {
    const int flag = blockIdx.x * MAX_GPUS;
    raise_for_all(&peers.met[threadIdx.x][flag + me], round);
    wait_for_all(&peers.met[me][flag + threadIdx.x], round);
  }
  __syncthreads();
}

/// Eight loads are on the way at a time.
__device__ void copy_cells(uint4* to, const uint4* from, int cells) {
  for (int first = threadIdx.x; first < cells; first += 8 * THREADS) {
    uint4 cell[8];
#pragma unroll
    for (int i = 0; i < 8; ++i)
      if (first + i * THREADS < cells) cell[i] = from[first + i * THREADS];
#pragma unroll
    for (int i = 0; i < 8; ++i)
      if (first + i * THREADS < cells) to[first + i * THREADS] = cell[i];
  }
}

__device__ void copy_shards(const Peers& peers, const Arrival& work, __nv_bfloat16* gathered,
                            int K) {
  meet(peers, work.gpus, work.me, work.round);
  const int rows = work.tile_rows();  // of tiles, in a shard
  for (int i = blockIdx.x; i < (work.gpus - 1) * rows; i += work.helpers) {
    const int h = (work.me + 1 + i / rows) % work.gpus, first = i % rows * BM;
    const size_t in_shard = static_cast<size_t>(first) * K;
    copy_cells(
        reinterpret_cast<uint4*>(gathered + static_cast<size_t>(h) * work.shard * K + in_shard),
        reinterpret_cast<const uint4*>(peers.A[h] + in_shard),
        min(BM, work.shard - first) * (K / 8));
    __syncthreads();
    if (threadIdx.x == 0) raise_here(work.flag(h, first), work.round);
  }
  meet(peers, work.gpus, work.me, work.round + 1);
}

__global__ void __launch_bounds__(THREADS)
    copy_inside_kernel(const __grid_constant__ Arrival work, const __grid_constant__ Peers peers,
                       __nv_bfloat16* gathered, int K) {
  extern __shared__ TileRing rings[];
  if (blockIdx.x < work.helpers) copy_shards(peers, work, gathered, K);
  multiply_tiles(rings[0], work, K);
}

/// Tiles that other blocks multiply while the copiers bring the rows: 360 GB/s beside 5 TFLOP/s.
int tiles_of_a_copy(const Arrival& work, int workers, int K) {
  const double copy = 2.0 * (work.gpus - 1) * work.shard * K / 360e9,
               tile = 2.0 * BM * BN * K / 5e12;
  return std::min(work.order().count(), static_cast<int>(copy / tile + 1) * workers);
}

extern "C" void all_gather_gemm(const __nv_bfloat16* const* A, const __nv_bfloat16* const* B,
                                __nv_bfloat16* const* C, void* const* scratch, int M, int N, int K,
                                int gpus, const cudaStream_t* streams) {
  static unsigned round = 0;
  if (!is_aligned(N, K)) return gemm_by_chunks(A, B, C, scratch, M, N, K, gpus, streams);
  const CurrentDevice restore;
  Peers peers = {};
  for (int g = 0; g < gpus; ++g) {
    peers.A[g] = A[g];
    peers.met[g] = reinterpret_cast<unsigned*>(static_cast<char*>(scratch[g]) + FLAG_BYTES);
  }
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    Arrival work = arrival_of(A[g], B[g], C[g], scratch[g], M, N, K, gpus, g, round + 1);
    work.helpers = std::min(COPIERS, (gpus - 1) * work.tile_rows());
    const int workers = std::min(processors() - work.helpers, work.order().count());
    if (work.helpers > 0) work.head = tiles_of_a_copy(work, workers, K);
    cudaFuncSetAttribute(copy_inside_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         sizeof(TileRing));
    copy_inside_kernel<<<work.helpers + workers, THREADS, sizeof(TileRing), streams[g]>>>(
        work, peers, gathered(scratch[g]), K);
  }
  round += 2;
}
