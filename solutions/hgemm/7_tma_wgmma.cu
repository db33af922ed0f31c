// TMA and wgmma: one thread copies whole tiles, four warps multiply them from shared memory.
//
// A tensor map describes A or B to the TMA unit. One thread then orders a box of it, which arrives
// swizzled, with zeros outside the matrix, and counts its bytes on an mbarrier. wgmma reads both
// operands from there: no registers for them, no ldmatrix. A block is one warpgroup, with a tile of
// 64 x 256 and one stage: load, wait, multiply, wait. Needs compute capability 9.0 (sm_90a).
//
// Prediction: 3 blocks per SM overlap each other's loads, but a tile of 64 x 256 makes the L2 cache
// deliver 2 * 4096^3 * (1/64 + 1/256) = 2.7 GB at 5.5 TB/s: 0.49 ms at 4096 cubed. Missed: the bulk
// copies got 9.3 TB/s from L2.
// Measured: 342.9 us at 4096x4096x4096, 45 % of the limit (H100 80GB HBM3, 2026-11-25)
#include "../common/wgmma_tile.h"
#include "scaled.h"

constexpr int BM = 64;

__global__ void __launch_bounds__(WARPGROUP)
    hgemm_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                 Scaled C, int K) {
  extern __shared__ Tiles<BM> tiles[];
  __shared__ Barrier full;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  if (threadIdx.x == 0) {
    init(&full, 1);
    fence_init();
  }
  __syncthreads();

  uint32_t sum[128];
  for (int k0 = 0; k0 < K; k0 += BK<__half>) {
    if (threadIdx.x == 0) load_tiles<__half>(tiles[0], A, B, row0, col0, k0, &full);
    wait(&full, k0 / BK<__half> % 2);
    start_product<__half>(sum, tiles[0].A, tiles[0].B, k0 > 0);
    wgmma_wait<0>();
    __syncthreads();  // all four warps have read the tiles
  }
  for_each_pair<__half>(sum, row0, col0, C);
}

extern "C" void hgemm(const __half* A, const __half* B, __half* C, int M, int N, int K, float alpha,
                      float beta) {
  static Scratch<uint4> scratch_A, scratch_B;
  const CUtensorMap a = map_of_A(aligned_rows(A, M, K, scratch_A), M, K, BM);
  const CUtensorMap b = map_of_B(aligned_rows(B, K, N, scratch_B), N, K);
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM));
  constexpr int BYTES = sizeof(Tiles<BM>);
  cudaFuncSetAttribute(hgemm_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  hgemm_kernel<<<grid, WARPGROUP, BYTES>>>(a, b, {C, M, N, alpha, beta}, K);
}
