#pragma once
// Stores results in C [M, N], but none outside.

#include <cuda_runtime.h>
#include <stdint.h>

struct StoreInts {
  int* C;
  int M, N;

  __device__ void operator()(int row, int col, int x) const {
    if (row < M && col < N) C[static_cast<int64_t>(row) * N + col] = x;
  }

  // Two neighbouring columns; col is even. Rows of odd length are not aligned for int2.
  __device__ void operator()(int row, int col, int x, int y) const {
    if (row >= M || col >= N) return;
    int* const at = C + static_cast<int64_t>(row) * N + col;
    if (N % 2 == 0) {
      *reinterpret_cast<int2*>(at) = make_int2(x, y);
    } else {
      at[0] = x;
      if (col + 1 < N) at[1] = y;
    }
  }
};
