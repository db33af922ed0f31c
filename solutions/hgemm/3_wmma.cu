// Tensor cores through nvcuda::wmma: 16 x 16 x 16 products of a whole warp.
//
// A fragment is spread over the lanes in an order that CUDA does not specify, so the kernel loads
// and stores whole fragments. A block of 8 warps computes 128 x 128 elements, a warp 64 x 32 of
// them. To apply alpha and beta, the results pass through shared memory. Rows in shared memory are
// 16 bytes longer than the tile, against bank conflicts.
//
// Prediction: a warp reads 6 fragments, 3 KB or 24 clocks of shared memory, for 8 products, 16
// clocks of math at full rate: at most 2/3 of 989 TFLOP/s. Loads and math do not overlap within a
// block: half of that, 300 TFLOP/s, 0.45 ms at 4096 cubed. Missed: waits for loads, which nothing
// overlaps before rung 6, were not counted.
// Measured: 1273.7 us at 4096x4096x4096, 12 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <cuda_fp16.h>
#include <mma.h>

#include <kata/kata.h>

#include "../common/aligned_rows.h"
#include "scaled.h"

using namespace nvcuda;

constexpr int BM = 128, BN = 128, BK = 32;
constexpr int PAD = 8;
constexpr int WARPS = 8;
constexpr int THREADS = 32 * WARPS;

__device__ uint4 load_cell(const AlignedRows<__half>& from, int row, int col, int rows) {
  if (row >= rows || col >= from.stride) return make_uint4(0, 0, 0, 0);
  return *reinterpret_cast<const uint4*>(from.data + static_cast<size_t>(row) * from.stride + col);
}

__global__ void __launch_bounds__(THREADS)
    hgemm_kernel(AlignedRows<__half> A, AlignedRows<__half> B, Scaled C, int K) {
  __shared__ __align__(32) __half As[BM][BK + PAD];
  __shared__ __align__(32) __half Bs[BK][BN + PAD];
  __shared__ __align__(32) float staged[WARPS][16][16];
  const int tid = threadIdx.x;
  const int warp = tid / 32, lane = tid % 32;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int row = warp / 4 * 64, col = warp % 4 * 32;  // the warp's part of the tile

  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4][2];
  for (auto& sums : sum) {
    for (auto& fragment : sums) wmma::fill_fragment(fragment, 0.0f);
  }
  for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
    for (int cell = tid; cell < BM * BK / 8; cell += THREADS) {
      const int r = cell / 4, k = cell % 4 * 8;
      *reinterpret_cast<uint4*>(&As[r][k]) = load_cell(A, row0 + r, k0 + k, C.M);
    }
#pragma unroll
    for (int cell = tid; cell < BK * BN / 8; cell += THREADS) {
      const int k = cell / 16, c = cell % 16 * 8;
      *reinterpret_cast<uint4*>(&Bs[k][c]) = load_cell(B, k0 + k, col0 + c, K);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a[4];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b[2];
#pragma unroll
      for (int i = 0; i < 4; ++i) wmma::load_matrix_sync(a[i], &As[row + 16 * i][k], BK + PAD);
#pragma unroll
      for (int j = 0; j < 2; ++j) wmma::load_matrix_sync(b[j], &Bs[k][col + 16 * j], BN + PAD);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 2; ++j) wmma::mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      wmma::store_matrix_sync(&staged[warp][0][0], sum[i][j], 16, wmma::mem_row_major);
      __syncwarp();
      for (int pair = lane; pair < 128; pair += 32) {
        const int r = pair / 8, c = pair % 8 * 2;
        C(row0 + row + 16 * i + r, col0 + col + 16 * j + c, staged[warp][r][c],
          staged[warp][r][c + 1]);
      }
      __syncwarp();
    }
  }
}

extern "C" void hgemm(const __half* A, const __half* B, __half* C, int M, int N, int K, float alpha,
                      float beta) {
  static Scratch<uint4> scratch_A, scratch_B;
  const dim3 grid(kata::ceil_div(N, BN), kata::ceil_div(M, BM));
  const AlignedRows<__half> a = aligned_rows(A, M, K, scratch_A);
  const AlignedRows<__half> b = aligned_rows(B, K, N, scratch_B);
  hgemm_kernel<<<grid, THREADS>>>(a, b, {C, M, N, alpha, beta}, K);
}
