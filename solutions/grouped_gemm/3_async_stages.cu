// The same tiles with cp.async in four stages: copies run while the tensor cores multiply.
//
// Rung 2 waits for each step's loads. Here three steps of 16 KB are under way while one is
// multiplied, and one barrier per step is left.
//
// Prediction: hgemm's rung with the same loop reaches 560 TFLOP/s at 4096 cubed. 51.5 GFLOP take
// 92 us at that speed; tiles that are not full make it 1152 / 768 times as much, and the fifth wave
// is short: 150 us at 64 x 8192 x 2048 x 1536.
// Measured: 366.1 us at 64x8192x2048x1536, 28 % of the limit (H200, 2026-11-30)
#include <cuda_pipeline_primitives.h>

#include "row_tiles.h"

constexpr int STAGES = 4;

__global__ void __launch_bounds__(THREADS, 2)
    product_kernel(AlignedRows<__nv_bfloat16> A, AlignedRows<__nv_bfloat16> B, const int* offsets,
                   __nv_bfloat16* C, int groups, int K, int N) {
  extern __shared__ Tiles stages[];
  const RowTile rows = find_tile(offsets, groups, blockIdx.y);
  if (rows.group < 0) return;
  const AlignedRows<__nv_bfloat16> b = of_group(B, rows.group, K);
  const int col0 = blockIdx.x * BN, steps = kata::ceil_div(K, BK<__nv_bfloat16>);
  const auto copy = [](uint4* to, const uint4* from, bool in_bounds) {
    __pipeline_memcpy_async(to, from, 16, in_bounds ? 0 : 16);
  };
  const auto start_copy = [&](int step) {
    if (step < steps) {
      const int k0 = step * BK<__nv_bfloat16>;
      copy_rows<true>(stages[step % STAGES].A, A, rows.end, rows.row0, k0, copy);
      copy_panels<true>(stages[step % STAGES].B, b, K, col0, k0, copy);
    }
    __pipeline_commit();  // also an empty group: the wait below counts groups
  };
  for (int step = 0; step < STAGES - 1; ++step) start_copy(step);

  WarpSum<float> sum = {};
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    start_copy(step + STAGES - 1);
    multiply_tiles<true, __nv_bfloat16>(sum, stages[step % STAGES]);
  }
  for_each_pair<float>(sum, rows.row0, col0, StoreRows{C, rows.end, N});
}

extern "C" void grouped_gemm(const __nv_bfloat16* A, const __nv_bfloat16* B, const int* offsets,
                             __nv_bfloat16* C, int groups, int M, int K, int N) {
  static Scratch<uint4> scratch_A, scratch_B;
  const AlignedRows<__nv_bfloat16> a = aligned_rows(A, M, K, scratch_A);
  const AlignedRows<__nv_bfloat16> b = aligned_rows(B, groups * K, N, scratch_B);
  constexpr int BYTES = STAGES * sizeof(Tiles);
  cudaFuncSetAttribute(product_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM) + groups);
  product_kernel<<<grid, THREADS, BYTES>>>(a, b, offsets, C, groups, K, N);
}
