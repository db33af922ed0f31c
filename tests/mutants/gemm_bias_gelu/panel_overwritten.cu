// Fault: a panel of C is written while the TMA unit may still read the one before in it.
#include "../../../solutions/common/cluster_gemm.h"
#include "../../../solutions/gemm_bias_gelu/gelu.h"
#include "../../../solutions/gemm_bias_gelu/store_gelu.h"

__global__ void __launch_bounds__(THREADS)
    gelu_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                const __grid_constant__ CUtensorMap C, StoreGelu<gelu> store, int K) {
  extern __shared__ Memory memory[];
  auto& ring = memory[0].ring;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int warpgroup = threadIdx.x / WARPGROUP, tid = threadIdx.x % WARPGROUP;
  if (threadIdx.x == 0) ring.init_barriers(CONSUMERS);
  __syncthreads();

  Place<STAGES> at;
  if (warpgroup == CONSUMERS) {
    for (int k0 = 0; tid == 0 && k0 < K; k0 += BK<__nv_bfloat16>, at.advance()) {
      wait(&ring.empty[at.stage], at.parity ^ 1);
      load_tiles<__nv_bfloat16>(ring.tiles[at.stage], A, B, row0, col0, k0, &ring.full[at.stage]);
    }
    return;
  }
  uint32_t sum[128];
  for (int k0 = 0; k0 < K; k0 += BK<__nv_bfloat16>, at.advance()) {
    const auto& stage = ring.tiles[at.stage];
    wait(&ring.full[at.stage], at.parity);
    start_product<__nv_bfloat16>(sum, stage.A + warpgroup * PANEL, stage.B, k0 > 0);
    wgmma_wait<0>();
    if (tid == 0) arrive(&ring.empty[at.stage]);
  }
  const int row = row0 + 64 * warpgroup, barrier = 1 + warpgroup;
  for (int i = 0; i < BN / 64; ++i) {
    char* const panel = memory[0].staging[warpgroup][i % 2];
    write_packed(panel + tid / 32 * 16 * 128, sum + 32 * i, row + tid / 32 * 16, col0 + 64 * i,
                 store);
    fence_async();
    warpgroup_barrier(barrier);
    if (tid == 0) store_box(C, row, col0 + 64 * i, panel);
  }
  if (tid == 0) wait_stores_read<0>();
}

extern "C" void gemm_bias_gelu(const __nv_bfloat16* A, const __nv_bfloat16* B,
                               const __nv_bfloat16* bias, __nv_bfloat16* C, int M, int N, int K) {
  if (N % 8 != 0) return cluster_gemm(A, B, C, M, N, K, StoreGelu<gelu>{bias, C, M, N});
  static Scratch<uint4> scratch_A, scratch_B;
  const CUtensorMap a = map_of_A(aligned_rows(A, M, K, scratch_A), M, K, BM);
  const CUtensorMap b = map_of_B(aligned_rows(B, K, N, scratch_B), N, K);
  cudaFuncSetAttribute(gelu_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Memory));
  gelu_kernel<<<dim3(kata::ceil_div(N, BN), kata::ceil_div(M, BM)), THREADS, sizeof(Memory)>>>(
      a, b, tensor_map(C, M, N, N, 64), {bias, C, M, N}, K);
}
