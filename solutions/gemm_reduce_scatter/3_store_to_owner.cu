// One persistent product per device on wgmma, which stores each tile where it is added.
//
// A thread of the product stores its pairs of results straight into the owner's slot, across the
// link: no copy, no own product in memory, and nothing to wait for between chunks. Tiles of the
// next device come first, those of the own rows last. Events order the sums. Rows that TMA cannot
// read take rung 2.
//
// Prediction: 481 GFLOP at 700 TFLOP/s are 0.69 ms. Stores of 4 bytes reach the link in pieces of
// 16, which may halve its speed: 0.19 ms are still hidden. With the sum and two meetings 0.74 ms on
// 2 devices; on 4 0.34 ms of product hide 0.28: 0.39 ms.
// Measured: 862.7 us at 8192x4096x7168x2, 59 % of the limit (H200, 2026-11-30)
#include <algorithm>

#include "chunks.h"
#include "owned_tiles.h"

struct StoreToOwner : OwnedTiles {
  __nv_bfloat16* slots[MAX_GPUS];

  __device__ void store(int i, const uint32_t (&sum)[128], int warpgroup) const {
    const Tile tile = (*this)[i];
    const StorePairs part{slots[tile.owner] + static_cast<size_t>(me) * shard * N, shard, N};
    for_each_pair<__nv_bfloat16>(sum, tile.row + 64 * warpgroup, tile.col, part);
  }
};

__global__ void __launch_bounds__(THREADS)
    store_kernel(const __grid_constant__ StoreToOwner work, int K) {
  extern __shared__ TileRing rings[];
  multiply_tiles(rings[0], work, K);
}

extern "C" void gemm_reduce_scatter(const __nv_bfloat16* const* A, const __nv_bfloat16* const* B,
                                    __nv_bfloat16* const* C, void* const* scratch, int M, int N,
                                    int K, int gpus, const cudaStream_t* streams) {
  static Events events;
  if (!is_aligned(N, K)) return gemm_by_chunks(A, B, C, scratch, M, N, K, gpus, streams);
  const CurrentDevice restore;
  StoreToOwner work = {};
  work.shard = M / gpus, work.N = N, work.gpus = gpus;
  for (int g = 0; g < gpus; ++g) work.slots[g] = PartMemory(scratch[g], M, N).slots;
  events.meet(streams, gpus);
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    set_matrices(work, A[g], B[g], K, g);
    cudaFuncSetAttribute(store_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         sizeof(TileRing));
    const int grid = std::min(processors(), work.count());
    store_kernel<<<grid, THREADS, sizeof(TileRing), streams[g]>>>(work, K);
  }
  events.meet(streams, gpus);
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    sum_parts(work.slots[g], C[g], M / gpus, N, gpus, streams[g]);
  }
}
