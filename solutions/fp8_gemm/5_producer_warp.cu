// Persistent blocks: a producer warp that only copies, two warpgroups that do not wait for each other.
//
// In rung 4 a barrier makes both warpgroups add at the same time, and the tensor cores stop. Here a
// warpgroup releases a stage by itself, and one multiplies while the other adds. A block goes on to
// its next tile, whose first stages come while the last tile is still stored.
//
// Prediction: 64 multiply-adds per thread and block of K are 128 clocks of 512, hidden but for the
// scales. Each SM wants 32 KB in 512 clocks from L2, 64 bytes per clock, and gets about 30: 55 % of
// the rate, 1050 TFLOP/s, 0.23 ms at 4096 x 4096 x 7168.
// Measured: 255.5 us at 4096x4096x7168, 50 % of the limit (H200, 2026-11-30)
#include "roles.h"

__global__ void __launch_bounds__(THREADS)
    product_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                   Scales scales, __nv_bfloat16* C, TileOrder order) {
  extern __shared__ Memory memory[];
  const int warpgroup = threadIdx.x / WARPGROUP, tid = threadIdx.x % WARPGROUP;
  if (threadIdx.x == 0) memory[0].init_barriers(CONSUMERS);
  __syncthreads();

  Place<STAGES> at;
  if (warpgroup == CONSUMERS) {
    give_registers<40>();
    for (int i = blockIdx.x; tid == 0 && i < order.count(); i += gridDim.x) {
      const int2 tile = order[i];
      for (int block = 0; block < scales.blocks; ++block, at.advance()) {
        wait(&memory[0].empty[at.stage], at.parity ^ 1);
        load_stage(memory[0].stages[at.stage], A, B, tile.x * ROWS, tile.y * COLS, block,
                   &memory[0].full[at.stage]);
      }
    }
  } else {
    take_registers<232>();
    const auto release = [&](int stage) {
      if (tid == 0) arrive(&memory[0].empty[stage]);
    };
    for (int i = blockIdx.x; i < order.count(); i += gridDim.x) {
      const int2 tile = order[i];
      const Corner corner = Corner::of(tile.x * ROWS, tile.y * COLS, warpgroup);
      Sums total = {};
      OneSum::run(total, memory[0], at, scales, corner, warpgroup, release);
      store_sums(total, C, scales.M, scales.N, corner);
    }
  }
}

extern "C" void fp8_gemm(const fp8* A, const fp8* B, const float* scale_a, const float* scale_b,
                         __nv_bfloat16* C, int M, int N, int K) {
  const CUtensorMap map_A = map_of(A, M, K, ROWS), map_B = map_of(B, N, K, COLS);
  const TileOrder order{kata::ceil_div(M, ROWS), kata::ceil_div(N, COLS)};
  cudaFuncSetAttribute(product_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Memory));
  product_kernel<<<std::min(processors(), order.count()), THREADS, sizeof(Memory)>>>(
      map_A, map_B, Scales::of(scale_a, scale_b, M, N, K), C, order);
}
