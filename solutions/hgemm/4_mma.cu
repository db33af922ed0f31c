// mma.sync and ldmatrix: known fragments, and 64 x 64 results per warp.
//
// The layout of mma's operands is specified (tensor_core.h), so a lane knows the row and column of
// each accumulator: alpha and beta are applied in registers. ldmatrix reads four 8 x 8 matrices at
// once, and transposes those of B. A warp of 64 x 64 reads 4 KB for 65536 multiply-adds, half as
// much per product as 64 x 32. mma_tile.h has the layout of the tiles.
//
// Prediction: 8 rows that ldmatrix reads at once share few banks: 4 wavefronts per matrix of A, 8
// of B, 192 per 16 of k instead of 32. Shared memory then limits an SM to 65536 / 192 = 341
// multiply-adds per clock of 2048: 165 TFLOP/s, 0.83 ms at 4096 cubed. Missed: the conflicts cost
// 640 us (rung 5 has none), and waits for loads 450 us more (rung 6 overlaps them).
// Measured: 1645.6 us at 4096x4096x4096, 9.3 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "../common/mma_tile.h"
#include "scaled.h"

constexpr bool SWIZZLE = false;

__global__ void __launch_bounds__(THREADS, 2)
    hgemm_kernel(AlignedRows<__half> A, AlignedRows<__half> B, Scaled C, int K) {
  __shared__ Tiles tiles;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const auto load = [](uint4* to, const uint4* from, bool in_bounds) {
    *to = in_bounds ? *from : make_uint4(0, 0, 0, 0);
  };
  WarpSum<float> sum = {};
  for (int k0 = 0; k0 < K; k0 += BK<__half>) {
    copy_rows<SWIZZLE>(tiles.A, A, C.M, row0, k0, load);
    copy_panels<SWIZZLE>(tiles.B, B, K, col0, k0, load);
    __syncthreads();
    multiply_tiles<SWIZZLE, __half>(sum, tiles);
    __syncthreads();
  }
  for_each_pair<float>(sum, row0, col0, C);
}

extern "C" void hgemm(const __half* A, const __half* B, __half* C, int M, int N, int K, float alpha,
                      float beta) {
  static Scratch<uint4> scratch_A, scratch_B;
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM));
  const AlignedRows<__half> a = aligned_rows(A, M, K, scratch_A);
  const AlignedRows<__half> b = aligned_rows(B, K, N, scratch_B);
  hgemm_kernel<<<grid, THREADS>>>(a, b, {C, M, N, alpha, beta}, K);
}
