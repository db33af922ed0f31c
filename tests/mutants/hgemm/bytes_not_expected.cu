// Fault: the producer arrives at `full` without expect_tx, so that the phase ends before the bytes
// come.
#include "../../../solutions/common/wgmma_tile.h"
#include "../../../solutions/hgemm/scaled.h"

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
      auto& stage = ring.tiles[at.stage];
      arrive(&ring.full[at.stage]);  // and says nothing of the bytes
      load_box(stage.A, A, row0, tile * BK<__half>, &ring.full[at.stage]);
      for (int p = 0; p < BN / 64; ++p) {
        const int2 box = panel_of_B<__half>(col0, tile * BK<__half>, p);
        load_box(stage.B + p * PANEL, B, box.x, box.y, &ring.full[at.stage]);
      }
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
