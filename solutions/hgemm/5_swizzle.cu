// An XOR swizzle of the tiles: ldmatrix has no bank conflicts.
//
// Cell c (16 bytes) lies at c ^ (c / 8 % 8), see place() in mma_tile.h. The 8 cells of each matrix
// that ldmatrix reads then lie in 8 different groups of four banks. Nothing else changes.
// The rung to reach in 30 minutes.
//
// Prediction: 4 wavefronts per ldmatrix.x4 instead of 16 (A) and 32 (B), 32 per 16 of k: shared
// memory no longer limits. Two blocks per SM hide part of each other's loads: 350 TFLOP/s, 0.39 ms
// at 4096 cubed. Missed: rung 6, which overlaps the loads, takes 568 us, so nearly half of the time
// is waiting.
// Measured: 1004.2 us at 4096x4096x4096, 15 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "../common/mma_tile.h"
#include "scaled.h"

constexpr bool SWIZZLE = true;

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
