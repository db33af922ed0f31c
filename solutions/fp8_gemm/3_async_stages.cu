// cp.async in four stages: three blocks of K are on their way while one is multiplied.
//
// Rung 2 waits for each tile's loads. Here a thread starts the copies of its cells and goes on; one
// barrier per block of K makes the oldest stage complete for all threads and the one before it free.
//
// Prediction: hgemm's rung with this loop reaches 560 TFLOP/s with halves. The conversions take
// issue slots between the mma, and the scales 64 multiply-adds of 128 x 128 x 128 products: 400
// TFLOP/s, 0.6 ms at 4096 x 4096 x 7168.
// Measured: 1160.8 us at 4096x4096x7168, 11 % of the limit (H200, 2026-11-30)
#include <cuda_pipeline_primitives.h>

#include "mma_tile.h"

constexpr int STAGES = 4;

__global__ void __launch_bounds__(THREADS)
    product_kernel(const fp8* A, const fp8* B, Scales scales, __nv_bfloat16* C, int M, int N,
                   int K) {
  extern __shared__ Tiles stages[];
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const auto copy = [](uint4* to, const uint4* from, bool in_bounds) {
    __pipeline_memcpy_async(to, from, 16, in_bounds ? 0 : 16);
  };
  const auto start_copy = [&](int block) {
    if (block < scales.blocks) {
      copy_rows(stages[block % STAGES].A, A, M, K, row0, block * BLOCK_K, copy);
      copy_rows(stages[block % STAGES].B, B, N, K, col0, block * BLOCK_K, copy);
    }
    __pipeline_commit();  // also an empty group: the wait below counts groups
  };
  for (int block = 0; block < STAGES - 1; ++block) start_copy(block);

  WarpSum total = {};
  for (int block = 0; block < scales.blocks; ++block) {
    __pipeline_wait_prior(STAGES - 2);  // all groups but the newest STAGES - 2 are done
    __syncthreads();
    start_copy(block + STAGES - 1);
    WarpSum sum = {};
    multiply_tiles(sum, stages[block % STAGES]);
    promote(total, sum, scales, row0, col0, block);
  }
  store_sums(total, C, M, N, row0, col0);
}

extern "C" void fp8_gemm(const fp8* A, const fp8* B, const float* scale_a, const float* scale_b,
                         __nv_bfloat16* C, int M, int N, int K) {
  constexpr int BYTES = STAGES * sizeof(Tiles);
  cudaFuncSetAttribute(product_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM));
  product_kernel<<<grid, THREADS, BYTES>>>(A, B, Scales::of(scale_a, scale_b, M, N, K), C, M, N, K);
}
