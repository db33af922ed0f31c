#pragma once
// A 128 x 128 tile of C = A B on mma.sync: four warps of 64 x 64.
//
// Tiles of A and B in shared memory are 64 bytes deep, BK<T> elements of k, and consist of cells of
// 16 bytes. A [M, K] is stored as rows of 4 cells, and so is a B that comes as [N, K]. A B that
// comes as [K, N] is stored as two panels of 64 columns, each [BK][8 cells].

#include "aligned_rows.h"
#include "tensor_core.h"

constexpr int BM = 128, BN = 128;
constexpr int THREADS = 128;
constexpr int TILE_CELLS = 512;  // 128 rows of 4 cells
template <class T>
constexpr int BK = 64 / sizeof(T);

struct Tiles {
  uint4 A[TILE_CELLS];
  uint4 B[TILE_CELLS];
};

// ldmatrix reads 8 rows at once. In a plain tile these 8 cells lie 64 or 128 bytes apart and share
// two groups of four banks, or one. XOR with bits 3 to 5 of the number spreads them over all eight
// groups, and no memory is lost to padding. The TMA unit's 128-byte swizzle is the same one.
template <bool SWIZZLE>
__device__ __forceinline__ int place(int cell) {
  return SWIZZLE ? cell ^ (cell / 8 % 8) : cell;
}

// Copies this thread's cells of 128 rows from row0 on, at depth k0, with
// copy(destination, source, in_bounds). Cells out of bounds must become zeros; their source is
// valid all the same.
template <bool SWIZZLE, class T, class Copy>
__device__ __forceinline__ void copy_rows(uint4* tile, AlignedRows<T> from, int rows, int row0,
                                          int k0, const Copy& copy) {
#pragma unroll
  for (int cell = threadIdx.x; cell < TILE_CELLS; cell += THREADS) {
    const int row = row0 + cell / 4, k = k0 + cell % 4 * (16 / sizeof(T));
    const bool in_bounds = row < rows && k < from.stride;
    const T* source = from.data + (in_bounds ? static_cast<int64_t>(row) * from.stride + k : 0);
    copy(&tile[place<SWIZZLE>(cell)], reinterpret_cast<const uint4*>(source), in_bounds);
  }
}

// The same for the two panels of a B [K, N] of 16-bit elements.
template <bool SWIZZLE, class T, class Copy>
__device__ __forceinline__ void copy_panels(uint4* tile, AlignedRows<T> B, int K, int col0, int k0,
                                            const Copy& copy) {
#pragma unroll
  for (int cell = threadIdx.x; cell < TILE_CELLS; cell += THREADS) {
    const int k = k0 + cell / 8 % BK<T>, col = col0 + cell / (8 * BK<T>)*64 + cell % 8 * 8;
    const bool in_bounds = k < K && col < B.stride;
    const T* source = B.data + (in_bounds ? static_cast<int64_t>(k) * B.stride + col : 0);
    copy(&tile[place<SWIZZLE>(cell)], reinterpret_cast<const uint4*>(source), in_bounds);
  }
}

// sum[i][j] is the fragment of rows 16 i and columns 8 j of the warp's 64 x 64 results.
template <class Sum>
using WarpSum = Sum[4][8][4];

// The A fragments of the warp's 64 rows in two cells of depth: one ldmatrix for 16 rows.
template <bool SWIZZLE>
__device__ __forceinline__ void load_a(unsigned (&a)[4][4], const uint4* tile, int first_cell) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int row = warp / 2 * 64 + 16 * i + lane % 16;
    ldmatrix_x4(a[i], &tile[place<SWIZZLE>(row * 4 + first_cell + lane / 16)]);
  }
}

// Adds the product of 16-bit tiles: 8 ldmatrix for 32 mma, twice. B lies in rows of k, so ldmatrix
// transposes it.
template <bool SWIZZLE, class T>
__device__ __forceinline__ void multiply_tiles(WarpSum<float>& sum, const Tiles& tiles) {
  const int panel = threadIdx.x / 32 % 2 * (TILE_CELLS / 2), lane = threadIdx.x % 32;
  for (int k = 0; k < BK<T>; k += 16) {
    unsigned a[4][4], b[4][4];
    load_a<SWIZZLE>(a, tiles.A, k / 8);
#pragma unroll
    for (int j = 0; j < 4; ++j) {  // 16 columns
      ldmatrix_x4_trans(b[j],
                        &tiles.B[place<SWIZZLE>(panel + (k + lane % 16) * 8 + 2 * j + lane / 16)]);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        multiply_add<T>(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      }
    }
  }
}

// The same for bytes, where B is stored by rows, as A is.
template <bool SWIZZLE>
__device__ __forceinline__ void multiply_byte_tiles(WarpSum<int>& sum, const Tiles& tiles) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int cell = 0; cell < 4; cell += 2) {
    unsigned a[4][4], b[4][4];
    load_a<SWIZZLE>(a, tiles.A, cell);
#pragma unroll
    for (int j = 0; j < 4; ++j) {  // 16 columns, rows of the tile
      const int row = warp % 2 * 64 + 16 * j + lane / 16 * 8 + lane % 8;
      ldmatrix_x4(b[j], &tiles.B[place<SWIZZLE>(row * 4 + cell + lane / 8 % 2)]);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        multiply_add(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      }
    }
  }
}

// Calls store(row, col, x, y) for each pair of neighbouring results of this thread.
template <class Sum, class Store>
__device__ __forceinline__ void for_each_pair(const WarpSum<Sum>& sum, int row0, int col0,
                                              const Store& store) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = row0 + warp / 2 * 64 + lane / 4;
  const int col = col0 + warp % 2 * 64 + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      store(row + 16 * i, col + 8 * j, sum[i][j][0], sum[i][j][1]);
      store(row + 16 * i + 8, col + 8 * j, sum[i][j][2], sum[i][j][3]);
    }
  }
}
