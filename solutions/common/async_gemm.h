#pragma once
// C = A B for 16-bit matrices on mma.sync with cp.async in four stages, as hgemm's rung 6. What
// happens to the float results is up to the caller: store(row, col, x, y) gets each pair of
// neighbouring columns, also outside C.

#include <cuda_pipeline_primitives.h>

#include "mma_tile.h"

constexpr int STAGES = 4;

template <class T, class Store>
__global__ void __launch_bounds__(THREADS, 2)
    gemm_kernel(AlignedRows<T> A, AlignedRows<T> B, int M, int K, Store store) {
  extern __shared__ Tiles stages[];
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int tiles = kata::ceil_div(K, BK<T>);
  const auto copy = [](uint4* to, const uint4* from, bool in_bounds) {
    __pipeline_memcpy_async(to, from, 16, in_bounds ? 0 : 16);
  };
  const auto start_copy = [&](int tile) {
    if (tile < tiles) {
      copy_rows<true>(stages[tile % STAGES].A, A, M, row0, tile * BK<T>, copy);
      copy_panels<true>(stages[tile % STAGES].B, B, K, col0, tile * BK<T>, copy);
    }
    __pipeline_commit();  // also an empty group: the wait below counts groups
  };
  for (int tile = 0; tile < STAGES - 1; ++tile) start_copy(tile);

  WarpSum<float> sum = {};
  for (int tile = 0; tile < tiles; ++tile) {
    __pipeline_wait_prior(STAGES - 2);  // all groups but the newest STAGES - 2 are done
    __syncthreads();
    start_copy(tile + STAGES - 1);
    multiply_tiles<true, T>(sum, stages[tile % STAGES]);
  }
  for_each_pair<float>(sum, row0, col0, store);
}

// A is [M, K], B is [K, N]; both are padded in scratch memory if their rows are not aligned.
template <class T, class Store>
void gemm(const T* A, const T* B, int M, int N, int K, const Store& store) {
  static Scratch<uint4> scratch_A, scratch_B;
  const AlignedRows<T> a = aligned_rows(A, M, K, scratch_A);
  const AlignedRows<T> b = aligned_rows(B, K, N, scratch_B);
  constexpr int BYTES = STAGES * sizeof(Tiles);
  cudaFuncSetAttribute(gemm_kernel<T, Store>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM));
  gemm_kernel<<<grid, THREADS, BYTES>>>(a, b, M, K, store);
}
