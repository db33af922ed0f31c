#pragma once
// The store of rung 16: sums leave the registers in quads of four rows, neighbours swapped.

#include "async_tiles.h"

/// Stores the thread's elements; `row` and `col` are those of its first square in C. Each thread
/// uses 16 floats of `shared`, and reads only what it wrote. All threads of the block call it,
/// after their last read of a tile.
template <class T, bool VECTOR, int TM, int TN>
__device__ void store_swapped(float* C, const float (&sum)[TM][TN], float* shared, int row, int col,
                              int M, int N) {
  float4* const mine = reinterpret_cast<float4*>(shared) + threadIdx.x;
  // Lanes read different rows of their quads, so that 32 scalar reads hit 32 banks.
  const int turn = threadIdx.x % 32 / 8;
  __syncthreads();
#pragma unroll
  for (int j = 0; j < TN; j += 4) {
#pragma unroll
    for (int i = 0; i < TM; i += 4) {
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        mine[c * T::THREADS] =
            make_float4(sum[i + 1][j + c], sum[i][j + c], sum[i + 3][j + c], sum[i + 2][j + c]);
      }
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int quad_row = (r + turn) % 4;
        float values[4];
#pragma unroll
        for (int c = 0; c < 4; ++c) {
          values[c] = reinterpret_cast<const float*>(mine + c * T::THREADS)[quad_row ^ 1];
        }
        store4<VECTOR>(C, values, row + i * 8 + quad_row, col + j * 4, M, N);
      }
    }
  }
}
