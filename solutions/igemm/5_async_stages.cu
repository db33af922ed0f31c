// cp.async in four stages: three tiles are on their way while one is multiplied.
//
// As in hgemm's rung 6: a thread starts the copies of its cells and goes on; one barrier per tile
// makes the oldest stage complete for all threads and the one before it free.
// The last rung for chips before Hopper (compute capability 8.0 to 8.9).
//
// Prediction: mma.sync's 62 % of 1979 TOP/s, and 0.85 of that as in hgemm: 1040 TOP/s, 0.13 ms at
// 4096 cubed. On an A100 (624 TOP/s): 0.25 ms.
// Measured: 275.9 us at 4096x4096x4096, 26 % of the limit (H200, 2026-11-23)
#include <cuda_pipeline_primitives.h>

#include <kata/kata.h>

#include "../common/mma_tile.h"
#include "store_ints.h"

constexpr int STAGES = 4;

__global__ void __launch_bounds__(THREADS, 2)
    igemm_kernel(AlignedRows<signed char> A, AlignedRows<signed char> B, StoreInts C) {
  extern __shared__ Tiles stages[];
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int tiles = kata::ceil_div(A.stride, BK<signed char>);
  const auto copy = [](uint4* to, const uint4* from, bool in_bounds) {
    __pipeline_memcpy_async(to, from, 16, in_bounds ? 0 : 16);
  };
  const auto start_copy = [&](int tile) {
    if (tile < tiles) {
      copy_rows<true>(stages[tile % STAGES].A, A, C.M, row0, tile * BK<signed char>, copy);
      copy_rows<true>(stages[tile % STAGES].B, B, C.N, col0, tile * BK<signed char>, copy);
    }
    __pipeline_commit();  // also an empty group: the wait below counts groups
  };
  for (int tile = 0; tile < STAGES - 1; ++tile) start_copy(tile);

  WarpSum<int> sum = {};
  for (int tile = 0; tile < tiles; ++tile) {
    __pipeline_wait_prior(STAGES - 2);  // all groups but the newest STAGES - 2 are done
    __syncthreads();
    start_copy(tile + STAGES - 1);
    multiply_byte_tiles<true>(sum, stages[tile % STAGES]);
  }
  for_each_pair<int>(sum, row0, col0, C);
}

extern "C" void igemm(const signed char* A, const signed char* B, int* C, int M, int N, int K) {
  static Scratch<uint4> scratch_A, scratch_B;
  const AlignedRows<signed char> a = aligned_rows(A, M, K, scratch_A);
  const AlignedRows<signed char> b = aligned_rows(B, N, K, scratch_B);
  constexpr int BYTES = STAGES * sizeof(Tiles);
  cudaFuncSetAttribute(igemm_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM));
  igemm_kernel<<<grid, THREADS, BYTES>>>(a, b, {C, M, N});
}
