// One persistent product per device on wgmma, whose tiles wait for flags.
//
// Behind each copy of a chunk a small kernel raises flags. The thread that loads a tile waits for
// the flag of its rows, so blocks go from tile to tile without a gap between chunks. Tiles are in
// the order in which their rows arrive. One SM stays free for the kernels that raise flags: if the
// waiting blocks took all, no flag would ever rise. Rows that TMA cannot read take rung 2.
//
// Prediction: 481 GFLOP at 700 TFLOP/s are 0.69 ms, and 131 of 132 SMs make that 0.70 ms. The
// copies are hidden but for the meetings, 0.01 ms: 0.71 ms on 2 devices and 0.36 ms on 4.
// Measured: 764.5 us at 8192x7168x4096x2, 66 % of the limit (H200, 2026-11-30)
#include <algorithm>

#include "arrival.h"

__global__ void raise_kernel(unsigned* flags, int count, unsigned round) {
  if (threadIdx.x < count) raise_here(flags + threadIdx.x, round);
}

__global__ void __launch_bounds__(THREADS)
    arrival_kernel(const __grid_constant__ Arrival work, int K) {
  extern __shared__ TileRing rings[];
  multiply_tiles(rings[0], work, K);
}

extern "C" void all_gather_gemm(const __nv_bfloat16* const* A, const __nv_bfloat16* const* B,
                                __nv_bfloat16* const* C, void* const* scratch, int M, int N, int K,
                                int gpus, const cudaStream_t* streams) {
  static Events events;
  static CopyStreams copies;
  static unsigned round = 0;
  if (!is_aligned(N, K)) return gemm_by_chunks(A, B, C, scratch, M, N, K, gpus, streams);
  const CurrentDevice restore;
  ++round;
  events.meet(streams, gpus);
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    const Arrival work = arrival_of(A[g], B[g], C[g], scratch[g], M, N, K, gpus, g, round);
    copies.order(g, streams[g], copies.of(g));
    copy_chunks(g, A, scratch[g], work.shard, K, gpus, copies.of(g), [&](int row, int rows) {
      unsigned* const flags = work.flag(row / work.shard, row % work.shard);
      raise_kernel<<<1, 32, 0, copies.of(g)>>>(flags, kata::ceil_div(rows, BM), round);
    });
    const int grid = std::min(processors() - 1, work.order().count());
    cudaFuncSetAttribute(arrival_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         sizeof(TileRing));
    arrival_kernel<<<grid, THREADS, sizeof(TileRing), streams[g]>>>(work, K);
  }
  events.meet(streams, gpus);
}
