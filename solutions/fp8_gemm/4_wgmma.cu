// TMA and wgmma: FP8 at twice the rate of halves, and sums that must leave the tensor core in time.
//
// On wgmma a Hopper keeps 13 bits of the fraction of the largest term, the sum so far among them,
// and cuts the rest. Where all products are 1.27, that loses 5 % over a K of 4096. So the sum of each
// block of 128 goes to a float register, as the scales want it anyway. A tile is 128 x 128: its
// columns have one scale, and 64 sums of a block and 64 of C fit into a thread's registers.
//
// Prediction: 128 x 128 x 128 products take the tensor cores 512 clocks. Here they wait for the
// barrier, the additions and the scales of each block, as long again; tiles of 32 KB in 1000 clocks
// are what L2 gives: 900 TFLOP/s, 0.27 ms at 4096 x 4096 x 7168.
// Measured: 287.6 us at 4096x4096x7168, 44 % of the limit (H200, 2026-11-30)
#include "wgmma_sums.h"

constexpr int STAGES = 6, THREADS = CONSUMERS * WARPGROUP;

struct Memory {
  Stage stages[STAGES];
  Barrier full[STAGES];
};

__global__ void __launch_bounds__(THREADS)
    product_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                   Scales scales, __nv_bfloat16* C, int M, int N) {
  extern __shared__ Memory memory[];
  auto& [stages, full] = memory[0];
  const int row0 = blockIdx.y * ROWS, col0 = blockIdx.x * COLS;
  const int warpgroup = threadIdx.x / WARPGROUP;
  const Corner at = Corner::of(row0, col0, warpgroup);
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) init(&full[s], 1);
    fence_init();
  }
  __syncthreads();
  for (int block = 0; threadIdx.x == 0 && block < min(STAGES, scales.blocks); ++block) {
    load_stage(stages[block], A, B, row0, col0, block, &full[block]);
  }

  Sums total = {}, sums;
  for (int block = 0; block < scales.blocks; ++block) {
    const int s = block % STAGES;
    const float2 factor = scales_at(scales, at, block);
    wait(&full[s], block / STAGES % 2);
    start_block(sums, stages[s], warpgroup);
    wgmma_wait<0>();
    settle(sums);
    __syncthreads();  // both warpgroups have read the stage
    if (threadIdx.x == 0 && block + STAGES < scales.blocks) {
      load_stage(stages[s], A, B, row0, col0, block + STAGES, &full[s]);
    }
    promote(total, sums, factor);
  }
  store_sums(total, C, M, N, at);
}

extern "C" void fp8_gemm(const fp8* A, const fp8* B, const float* scale_a, const float* scale_b,
                         __nv_bfloat16* C, int M, int N, int K) {
  const CUtensorMap map_A = map_of(A, M, K, ROWS), map_B = map_of(B, N, K, COLS);
  cudaFuncSetAttribute(product_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Memory));
  const dim3 grid(kata::ceil_div(N, COLS), kata::ceil_div(M, ROWS));
  product_kernel<<<grid, THREADS, sizeof(Memory)>>>(
      map_A, map_B, Scales::of(scale_a, scale_b, M, N, K), C, M, N);
}
