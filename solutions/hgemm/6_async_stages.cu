// cp.async in four stages: three tiles are on their way while one is multiplied.
//
// A thread starts the copies of its cells and goes on. One barrier per tile is enough: past it, the
// oldest tile is complete for all threads, and all have finished the tile before, whose memory the
// next copies overwrite. Cells outside the matrices are filled with zeros by the copy.
// The last rung for chips before Hopper (compute capability 8.0 to 8.9).
//
// Prediction: mma.sync ends near 62 % of Hopper's peak (Luo and others, "Benchmarking and
// Dissecting the Nvidia Hopper GPU Architecture", 2024). With 2 x 4 warps per SM for latencies,
// 0.85 of that: 520 TFLOP/s, 0.26 ms at 4096 cubed. On an A100 (312 TFLOP/s): 0.5 ms. Missed by a
// factor of 2; the reason was not measured.
// Measured: 568.0 us at 4096x4096x4096, 27 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <cuda_pipeline_primitives.h>

#include <kata/kata.h>

#include "../common/mma_tile.h"
#include "scaled.h"

constexpr int STAGES = 4;

__global__ void __launch_bounds__(THREADS, 2)
    hgemm_kernel(AlignedRows<__half> A, AlignedRows<__half> B, Scaled C, int K) {
  extern __shared__ Tiles stages[];
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int tiles = kata::ceil_div(K, BK<__half>);
  const auto copy = [](uint4* to, const uint4* from, bool in_bounds) {
    __pipeline_memcpy_async(to, from, 16, in_bounds ? 0 : 16);
  };
  const auto start_copy = [&](int tile) {
    if (tile < tiles) {
      copy_rows<true>(stages[tile % STAGES].A, A, C.M, row0, tile * BK<__half>, copy);
      copy_panels<true>(stages[tile % STAGES].B, B, K, col0, tile * BK<__half>, copy);
    }
    __pipeline_commit();  // also an empty group: the wait below counts groups
  };
  for (int tile = 0; tile < STAGES - 1; ++tile) start_copy(tile);

  WarpSum<float> sum = {};
  for (int tile = 0; tile < tiles; ++tile) {
    __pipeline_wait_prior(STAGES - 2);  // all groups but the newest STAGES - 2 are done
    __syncthreads();
    start_copy(tile + STAGES - 1);
    multiply_tiles<true, __half>(sum, stages[tile % STAGES]);
  }
  for_each_pair<float>(sum, row0, col0, C);
}

extern "C" void hgemm(const __half* A, const __half* B, __half* C, int M, int N, int K, float alpha,
                      float beta) {
  static Scratch<uint4> scratch_A, scratch_B;
  constexpr int BYTES = STAGES * sizeof(Tiles);
  cudaFuncSetAttribute(hgemm_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM));
  const AlignedRows<__half> a = aligned_rows(A, M, K, scratch_A);
  const AlignedRows<__half> b = aligned_rows(B, K, N, scratch_B);
  hgemm_kernel<<<grid, THREADS, BYTES>>>(a, b, {C, M, N, alpha, beta}, K);
}
