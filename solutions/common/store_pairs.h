#pragma once
// The end of a product: two neighbouring columns of C, rounded to bf16.

#include <cuda_bf16.h>
#include <stdint.h>

struct StorePairs {
  __nv_bfloat16* C;  // [rows, N]
  int rows, N;

  // col is even. Rows of odd length are not aligned for __nv_bfloat162.
  __device__ void operator()(int row, int col, float x, float y) const {
    if (row >= rows || col >= N) return;
    __nv_bfloat16* const at = C + static_cast<int64_t>(row) * N + col;
    if (N % 2 == 0) {
      *reinterpret_cast<__nv_bfloat162*>(at) = __floats2bfloat162_rn(x, y);
    } else {
      at[0] = __float2bfloat16(x);
      if (col + 1 < N) at[1] = __float2bfloat16(y);
    }
  }
};
