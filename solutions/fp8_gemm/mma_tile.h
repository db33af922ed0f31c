#pragma once
// A 128 x 128 tile of C on mma.sync: eight warps of 32 x 64. Rungs 2 and 3.
//
// Tiles of A and B in shared memory have 128 rows of 128 bytes, a block of K, in 8 cells of 16
// bytes. Cell c of row r is in place c ^ (r % 8): the eight rows that ldmatrix reads at once then
// lie in different banks.

#include "../common/tensor_core.h"
#include "scales.h"

constexpr int BM = 128, BN = 128;
constexpr int THREADS = 256;
constexpr int TILE_CELLS = 128 * 8;

struct Tiles {
  uint4 A[TILE_CELLS], B[TILE_CELLS];
};

__device__ __forceinline__ int place(int row, int cell) { return row * 8 + (cell ^ row % 8); }

// Copies this thread's cells of 128 rows from row0 on, with copy(destination, source, in_bounds).
// Cells out of bounds must become zeros; their source is valid all the same.
template <class Copy>
__device__ __forceinline__ void copy_rows(uint4* tile, const fp8* from, int rows, int K, int row0,
                                          int k0, const Copy& copy) {
#pragma unroll
  for (int i = threadIdx.x; i < TILE_CELLS; i += THREADS) {
    const int row = row0 + i / 8;
    const bool in_bounds = row < rows;
    const fp8* source = from + static_cast<int64_t>(in_bounds ? row : 0) * K + k0 + i % 8 * 16;
    copy(&tile[place(i / 8, i % 8)], reinterpret_cast<const uint4*>(source), in_bounds);
  }
}

// d += a b, 32 deep. ptxas makes of it, for a Hopper: 12 conversions of fragments to halves, two
// mma of depth 16, and an addition of d.
__device__ __forceinline__ void multiply_add_fp8(float (&d)[4], const unsigned (&a)[4], unsigned b0,
                                                 unsigned b1) {
  asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// [i][j] is the fragment of rows 16 i and columns 8 j of the warp's 32 x 64 results.
using WarpSum = float[2][8][4];

__device__ __forceinline__ int warp_row() { return threadIdx.x / 64 * 32; }
__device__ __forceinline__ int warp_col() { return threadIdx.x / 32 % 2 * 64; }

// Adds the products of the tiles' block of K.
__device__ __forceinline__ void multiply_tiles(WarpSum& sum, const Tiles& tiles) {
  const int lane = threadIdx.x % 32;
#pragma unroll 1
  for (int cell = 0; cell < 8; cell += 2) {
    unsigned a[2][4], b[4][4];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      ldmatrix_x4(a[i], &tiles.A[place(warp_row() + 16 * i + lane % 16, cell + lane / 16)]);
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {  // 16 columns, rows of the tile
      const int row = warp_col() + 16 * j + lane / 16 * 8 + lane % 8;
      ldmatrix_x4(b[j], &tiles.B[place(row, cell + lane / 8 % 2)]);
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        multiply_add_fp8(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      }
    }
  }
}

// C's sums += a block's sums times the block's scales.
__device__ __forceinline__ void promote(WarpSum& total, const WarpSum& sum, const Scales& scales,
                                        int row0, int col0, int block) {
  const float of_b = scales.of_col(col0, block);  // one for the tile's 128 columns
  const int row = row0 + warp_row() + threadIdx.x % 32 / 4;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const float upper = scales.of_row(row + 16 * i, block) * of_b;
    const float lower = scales.of_row(row + 16 * i + 8, block) * of_b;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      total[i][j][0] = fmaf(upper, sum[i][j][0], total[i][j][0]);
      total[i][j][1] = fmaf(upper, sum[i][j][1], total[i][j][1]);
      total[i][j][2] = fmaf(lower, sum[i][j][2], total[i][j][2]);
      total[i][j][3] = fmaf(lower, sum[i][j][3], total[i][j][3]);
    }
  }
}

__device__ __forceinline__ void store_sums(const WarpSum& total, __nv_bfloat16* C, int M, int N,
                                           int row0, int col0) {
  const int lane = threadIdx.x % 32;
  const int row = row0 + warp_row() + lane / 4, col = col0 + warp_col() + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const auto& x = total[i][j];
      store_pair(C, M, N, row + 16 * i, col + 8 * j, x[0], x[1]);
      store_pair(C, M, N, row + 16 * i + 8, col + 8 * j, x[2], x[3]);
    }
  }
}
