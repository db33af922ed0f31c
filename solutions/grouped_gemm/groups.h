#pragma once
// Which rows belong together, and where results are stored.

#include <cuda_bf16.h>
#include <stdint.h>

// The group of a row: the last one that begins at or before it. Of groups that begin at the same
// row, all but the last are empty.
__device__ inline int group_of(const int* offsets, int groups, int row) {
  int low = 0, high = groups - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (offsets[middle] <= row) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// Neighbouring columns of C, rounded. Rows from `end` on belong to another group or do not exist.
struct StoreRows {
  __nv_bfloat16* C;  // [M, N]
  int end, N;

  // col is even. Rows of odd length are not aligned for __nv_bfloat162.
  __device__ void operator()(int row, int col, float x, float y) const {
    if (row >= end || col >= N) return;
    __nv_bfloat16* const at = C + static_cast<int64_t>(row) * N + col;
    if (N % 2 == 0) {
      *reinterpret_cast<__nv_bfloat162*>(at) = __floats2bfloat162_rn(x, y);
    } else {
      at[0] = __float2bfloat16(x);
      if (col + 1 < N) at[1] = __float2bfloat16(y);
    }
  }
};
