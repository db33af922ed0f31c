// Tensor cores: mma.m16n8k32 of FP8 on 128 x 128 tiles, one block of K at a time.
//
// The rung to reach in 30 minutes. A row of a tile is 128 bytes, a block of K, so scales change from
// tile to tile only: the sums of a tile start at 0, and are multiplied by the scales and added to
// C's sums. Each thread has 64 of both. B comes as [N, K], as the instruction wants it.
//
// Prediction: on a Hopper mma.sync of FP8 is a product of halves (see mma_tile.h), at 62 % of 990
// TFLOP/s, less the conversions: 3 for each 4 mma. A block loads 32 KB, waits, and multiplies: 200
// TFLOP/s, 1.2 ms at 4096 x 4096 x 7168.
// Measured: 1644.0 us at 4096x4096x7168, 7.8 % of the limit (H200, 2026-11-30)
#include "mma_tile.h"

__global__ void __launch_bounds__(THREADS)
    product_kernel(const fp8* A, const fp8* B, Scales scales, __nv_bfloat16* C, int M, int N,
                   int K) {
  __shared__ Tiles tiles;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const auto load = [](uint4* to, const uint4* from, bool in_bounds) {
    *to = in_bounds ? *from : make_uint4(0, 0, 0, 0);
  };
  WarpSum total = {};
  for (int block = 0; block < scales.blocks; ++block) {
    copy_rows(tiles.A, A, M, K, row0, block * BLOCK_K, load);
    copy_rows(tiles.B, B, N, K, col0, block * BLOCK_K, load);
    __syncthreads();
    WarpSum sum = {};
    multiply_tiles(sum, tiles);
    promote(total, sum, scales, row0, col0, block);
    __syncthreads();
  }
  store_sums(total, C, M, N, row0, col0);
}

extern "C" void fp8_gemm(const fp8* A, const fp8* B, const float* scale_a, const float* scale_b,
                         __nv_bfloat16* C, int M, int N, int K) {
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM));
  product_kernel<<<grid, THREADS>>>(A, B, Scales::of(scale_a, scale_b, M, N, K), C, M, N, K);
}
