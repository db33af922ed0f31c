#pragma once
// A 128 x 128 tile of C = A B for 16-bit matrices, as four warps of 64 x 64 on mma.sync.
//
// Shared memory holds tiles of depth 32 as cells of 16 bytes. A is [128 rows][4 cells], B is two
// panels of 64 columns, each [32 k][8 cells].

#include "aligned_rows.h"
#include "tensor_core.h"

constexpr int BM = 128, BN = 128, BK = 32;
constexpr int THREADS = 128;

struct Tiles {
  uint4 A[BM * BK / 8];
  uint4 B[BK * BN / 8];
};

// ldmatrix reads 8 rows at once. In a plain tile these 8 cells lie 64 or 128 bytes apart and share
// two groups of four banks, or one. XOR with bits 3 to 5 of the number spreads them over all eight
// groups of four banks, and no memory is lost to padding. The TMA unit's 128-byte swizzle is the
// same one.
template <bool SWIZZLE>
__device__ __forceinline__ int place(int cell) {
  return SWIZZLE ? cell ^ (cell / 8 % 8) : cell;
}

// Calls copy(destination, source, in_bounds) for this thread's share of the tiles at depth k0. The
// matrices have aligned rows; cells outside must become zeros, and have a valid source all the
// same.
template <bool SWIZZLE, class T, class Copy>
__device__ __forceinline__ void for_each_cell(Tiles& tiles, AlignedRows<T> A, AlignedRows<T> B,
                                              int M, int K, int row0, int col0, int k0,
                                              const Copy& copy) {
#pragma unroll
  for (int i = 0; i < BM * BK / 8 / THREADS; ++i) {
    const int cell = threadIdx.x + i * THREADS;
    const int row = row0 + cell / 4, k = k0 + cell % 4 * 8;
    const bool in_bounds = row < M && k < K;
    const T* from = A.data + (in_bounds ? static_cast<int64_t>(row) * A.stride + k : 0);
    copy(&tiles.A[place<SWIZZLE>(cell)], reinterpret_cast<const uint4*>(from), in_bounds);
  }
#pragma unroll
  for (int i = 0; i < BK * BN / 8 / THREADS; ++i) {
    const int cell = threadIdx.x + i * THREADS;
    const int k = k0 + cell / 8 % BK, col = col0 + cell / (8 * BK) * 64 + cell % 8 * 8;
    const bool in_bounds = k < K && col < B.stride;
    const T* from = B.data + (in_bounds ? static_cast<int64_t>(k) * B.stride + col : 0);
    copy(&tiles.B[place<SWIZZLE>(cell)], reinterpret_cast<const uint4*>(from), in_bounds);
  }
}

// sum[i][j] is the fragment of rows 16 i and columns 8 j of the warp's 64 x 64 results.
using WarpSum = float[4][8][4];

// Adds the product of the two tiles: per 16 of k, 8 ldmatrix for 32 mma.
template <bool SWIZZLE, class T>
__device__ __forceinline__ void multiply_tiles(WarpSum& sum, const Tiles& tiles) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int k = 0; k < BK; k += 16) {
    unsigned a[4][4], b[4][4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = warp / 2 * 64 + 16 * i + lane % 16;
      ldmatrix_x4(a[i], &tiles.A[place<SWIZZLE>(row * 4 + k / 8 + lane / 16)]);
    }
#pragma unroll
    for (int j = 0; j < 4;
         ++j) {  // 16 columns; B lies in rows of k, so it is transposed on the way
      const int panel = warp % 2 * (BK * 8);
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

// Calls store(row, col, x, y) for each pair of neighbouring results of this thread.
template <class Store>
__device__ __forceinline__ void for_each_pair(const WarpSum& sum, int row0, int col0,
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
