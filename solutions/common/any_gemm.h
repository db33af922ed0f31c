#pragma once
// C = A B in bf16 on mma.sync, for any sizes, on the current device and in any of its streams.
//
// A block of four warps computes 64 x 128 results, a warp 32 x 64. Cells of 16 bytes come by
// cp.async in four stages; if rows are not multiples of 16 bytes, they are read element by element.
// Nothing is allocated: several devices may compute at once.

#include <cuda_bf16.h>
#include <cuda_pipeline_primitives.h>
#include <kata/kata.h>
#include <stdint.h>

#include "tensor_core.h"

namespace any_shape {

constexpr int BM = 64, BN = 128, BK = 32, STAGES = 4, THREADS = 128;

/// Cells of rows of A, 4 to a row, and of B, 16 to a row, swizzled: the 8 rows that ldmatrix reads
/// at once lie in different banks.
struct Stage {
  uint4 A[BM * 4], B[BK * 16];

  __device__ uint4* of_A(int row, int cell) { return &A[row * 4 + (cell ^ row / 2 % 4)]; }
  __device__ uint4* of_B(int k, int cell) { return &B[k * 16 + (cell ^ k % 8)]; }
};

/// [rows, cols], row-major.
struct Matrix {
  const __nv_bfloat16* data;
  int rows, cols;

  /// Starts the copy of 8 elements, with zeros outside the matrix.
  __device__ void copy_cell(uint4* to, int row, int col) const {
    const int left = row < rows ? cols - col : 0;
    const __nv_bfloat16* from = data + (left > 0 ? static_cast<int64_t>(row) * cols + col : 0);
    if (cols % 8 == 0) return __pipeline_memcpy_async(to, from, 16, left > 0 ? 0 : 16);
    __nv_bfloat16* cell = reinterpret_cast<__nv_bfloat16*>(to);
    for (int i = 0; i < 8; ++i) cell[i] = i < left ? from[i] : __nv_bfloat16(0.0f);
  }
};

/// store(row, col, x, y) gets each pair of neighbouring columns, also outside C.
template <class Store>
__global__ void __launch_bounds__(THREADS) gemm_kernel(Matrix A, Matrix B, Store store) {
  __shared__ Stage stages[STAGES];
  const int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int warp_row = warp / 2 * 32, warp_col = warp % 2 * 64;
  const int tiles = kata::ceil_div(B.rows, BK);
  const auto start_copy = [&](int tile) {
    Stage& stage = stages[tile % STAGES];
    for (int cell = tid; tile < tiles && cell < BM * 4; cell += THREADS)
      A.copy_cell(stage.of_A(cell / 4, cell % 4), row0 + cell / 4, tile * BK + cell % 4 * 8);
    for (int cell = tid; tile < tiles && cell < BK * 16; cell += THREADS)
      B.copy_cell(stage.of_B(cell / 16, cell % 16), tile * BK + cell / 16, col0 + cell % 16 * 8);
    __pipeline_commit();  // also an empty group: the wait below counts groups
  };
  for (int tile = 0; tile < STAGES - 1; ++tile) start_copy(tile);

  float sum[2][8][4] = {};
  for (int tile = 0; tile < tiles; ++tile) {
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    start_copy(tile + STAGES - 1);
    Stage& stage = stages[tile % STAGES];
    for (int k = 0; k < BK; k += 16) {
      unsigned a[2][4], b[4][4];
#pragma unroll
      for (int i = 0; i < 2; ++i)
        ldmatrix_x4(a[i], stage.of_A(warp_row + 16 * i + lane % 16, k / 8 + lane / 16));
#pragma unroll
      for (int j = 0; j < 4; ++j)
        ldmatrix_x4_trans(b[j], stage.of_B(k + lane % 16, warp_col / 8 + 2 * j + lane / 16));
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j)
          multiply_add<__nv_bfloat16>(sum[i][j], a[i], b[j / 2][j % 2 * 2],
                                      b[j / 2][j % 2 * 2 + 1]);
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const int row = row0 + warp_row + 16 * i + lane / 4,
                col = col0 + warp_col + 8 * j + lane % 4 * 2;
      store(row, col, sum[i][j][0], sum[i][j][1]);
      store(row + 8, col, sum[i][j][2], sum[i][j][3]);
    }
  }
}

/// A is [M, K], B is [K, N].
template <class Store>
void gemm(const __nv_bfloat16* A, const __nv_bfloat16* B, int M, int N, int K, const Store& store,
          cudaStream_t stream) {
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM));
  gemm_kernel<<<grid, THREADS, 0, stream>>>(Matrix{A, M, K}, Matrix{B, K, N}, store);
}

}  // namespace any_shape
