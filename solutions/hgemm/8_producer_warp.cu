// A producer warp and two consumer warpgroups: copies run four tiles ahead of the products.
//
//   producer:  wait empty[s] -> copy to stage s, counted by full[s] -> next stage
//   consumers: wait full[s]  -> multiply        -> arrive at empty[s] -> next stage
//
// A block has a tile of 128 x 256, 64 rows for each consumer. A consumer needs 128 registers for its
// sums and more for the rest, the producer few: setmaxnreg moves registers from one to the other.
//
// Prediction: copies and products overlap; L2 delivers 2 * 4096^3 * (1/128 + 1/256) = 1.6 GB at 5.5
// TB/s: 0.29 ms at 4096 cubed. Missed: as in rung 7, L2 delivers more.
// Measured: 217.6 us at 4096x4096x4096, 71 % of the limit (H100 80GB HBM3, 2026-11-25)
#include "../common/wgmma_tile.h"
#include "scaled.h"

constexpr int STAGES = 4, CONSUMERS = 2, BM = 64 * CONSUMERS;
constexpr int THREADS = WARPGROUP * (CONSUMERS + 1);

__global__ void __launch_bounds__(THREADS)
    hgemm_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                 Scaled C, int K) {
  extern __shared__ Ring<BM, STAGES> rings[];
  auto& ring = rings[0];
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int warpgroup = threadIdx.x / WARPGROUP, tiles = kata::ceil_div(K, BK<__half>);
  if (threadIdx.x == 0) ring.init_barriers(CONSUMERS);
  __syncthreads();

  if (warpgroup == CONSUMERS) {
    give_registers<40>();
    if (threadIdx.x % WARPGROUP != 0) return;
    Place<STAGES> at;
    for (int tile = 0; tile < tiles; ++tile, at.advance()) {
      wait(&ring.empty[at.stage], at.parity ^ 1);  // true at once on the first trip
      load_tiles<__half>(ring.tiles[at.stage], A, B, row0, col0, tile * BK<__half>,
                         &ring.full[at.stage]);
    }
    return;
  }

  take_registers<232>();
  uint32_t sum[128];
  Place<STAGES> at;
  for (int tile = 0; tile < tiles; ++tile, at.advance()) {
    const auto& stage = ring.tiles[at.stage];
    wait(&ring.full[at.stage], at.parity);
    start_product<__half>(sum, stage.A + warpgroup * PANEL, stage.B, tile > 0);
    wgmma_wait<0>();
    if (threadIdx.x % WARPGROUP == 0) arrive(&ring.empty[at.stage]);
  }
  for_each_pair<__half>(sum, row0 + 64 * warpgroup, col0, C);
}

extern "C" void hgemm(const __half* A, const __half* B, __half* C, int M, int N, int K, float alpha,
                      float beta) {
  static Scratch<uint4> scratch_A, scratch_B;
  const CUtensorMap a = map_of_A(aligned_rows(A, M, K, scratch_A), M, K, BM);
  const CUtensorMap b = map_of_B(aligned_rows(B, K, N, scratch_B), N, K);
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM));
  constexpr int BYTES = sizeof(Ring<BM, STAGES>);
  cudaFuncSetAttribute(hgemm_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  hgemm_kernel<<<grid, THREADS, BYTES>>>(a, b, {C, M, N, alpha, beta}, K);
}
