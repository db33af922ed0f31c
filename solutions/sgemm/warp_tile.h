#pragma once
// The tile of C in rungs 7 to 16.

#include "matrix4.h"

/// A block computes a BM x BN tile of C. A warp is 8 x 4 threads with TM x TN elements each, in
/// squares of 4 x 4 that are 32 rows and 16 columns apart.
template <int BM, int BN, int TM, int TN>
struct WarpTile {
  static constexpr int WM = 8 * TM, WN = 4 * TN;
  static constexpr int WARPS_ACROSS = BN / WN;
  static constexpr int THREADS = BM / WM * WARPS_ACROSS * 32;

  /// The row and the column of the thread's first square within the tile.
  static __device__ int row(int tid) {
    const int lane = tid % 32;
    return tid / 32 / WARPS_ACROSS * WM + (lane / 8 * 2 + lane / 2 % 2) * 4;
  }
  static __device__ int col(int tid) {
    const int lane = tid % 32;
    return tid / 32 % WARPS_ACROSS * WN + (lane / 4 % 2 * 2 + lane % 2) * 4;
  }
};

/// Stores the thread's elements; `row` and `col` are those of its first square in C.
template <bool VECTOR, int TM, int TN>
__device__ void store_squares(float* C, const float (&sum)[TM][TN], int row, int col, int M,
                              int N) {
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      store4<VECTOR>(C, &sum[i][j], row + i / 4 * 32 + i % 4, col + j * 4, M, N);
    }
  }
}
