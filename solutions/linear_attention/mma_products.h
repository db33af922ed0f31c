#pragma once
// Products of tiles in shared memory by a warp on mma.sync, for rung 4. The tiles are those of
// ../flash_attention/mma_rows.h: BN = 64 rows, in cells of 16 bytes that are swizzled.

#include "../flash_attention/mma_rows.h"

template <int DIM>
using Chunk = Tile<DIM, true>;

// A: 16 rows from `row` on, the columns 16 k to 16 k + 15.
template <int DIM>
__device__ __forceinline__ void load_rows(unsigned (&a)[4], const Chunk<DIM>& x, int row, int k) {
  const int lane = threadIdx.x % 32;
  ldmatrix_x4(a, &x.cells[x.place(row + lane % 16, 2 * k + lane / 16)]);
}

// A of the transposed tile: its 16 columns from `col` on, the rows 16 k to 16 k + 15.
template <int DIM>
__device__ __forceinline__ void load_columns(unsigned (&a)[4], const Chunk<DIM>& x, int col,
                                             int k) {
  const int lane = threadIdx.x % 32, row = 16 * k + lane / 16 * 8 + lane % 8;
  ldmatrix_x4_trans(a, &x.cells[x.place(row, col / 8 + lane / 8 % 2)]);
}

// sum += a B, where B is the rows 16 k to 16 k + 15 of x.
template <int DIM>
__device__ __forceinline__ void add_product(float (&sum)[DIM / 8][4], const unsigned (&a)[4],
                                            const Chunk<DIM>& x, int k) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int n = 0; n < DIM / 16; ++n) {
    unsigned b[4];
    ldmatrix_x4_trans(b, &x.cells[x.place(16 * k + lane % 16, 2 * n + lane / 16)]);
    multiply_add<__half>(sum[2 * n], a, b[0], b[1]);
    multiply_add<__half>(sum[2 * n + 1], a, b[2], b[3]);
  }
}

// sum += a B, where B is the transposed columns 16 k to 16 k + 15 of x: 64 scores for each row of
// a.
template <int DIM>
__device__ __forceinline__ void add_scores(float (&sum)[BN / 8][4], const unsigned (&a)[4],
                                           const Chunk<DIM>& x, int k) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int n = 0; n < BN / 16; ++n) {
    unsigned b[4];
    ldmatrix_x4(b, &x.cells[x.place(16 * n + lane / 16 * 8 + lane % 8, 2 * k + lane / 8 % 2)]);
    multiply_add<__half>(sum[2 * n], a, b[0], b[1]);
    multiply_add<__half>(sum[2 * n + 1], a, b[2], b[3]);
  }
}

// 16 rows from `row` on, of which `rows` exist, as halves.
template <int DIM>
__device__ __forceinline__ void store_halves(__half* to, const float (&sum)[DIM / 8][4], int row,
                                             int rows) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int at = row + threadIdx.x % 32 / 4 + 8 * i;
    if (at >= rows) continue;
#pragma unroll
    for (int n = 0; n < DIM / 8; ++n) {
      *reinterpret_cast<__half2*>(to + at * DIM + 8 * n + threadIdx.x % 4 * 2) =
          __floats2half2_rn(sum[n][2 * i], sum[n][2 * i + 1]);
    }
  }
}

__device__ inline unsigned scaled(unsigned pair, __half2 weight) {
  const __half2 product = __hmul2(*reinterpret_cast<const __half2*>(&pair), weight);
  return *reinterpret_cast<const unsigned*>(&product);
}
