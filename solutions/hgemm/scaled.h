#pragma once
// The end of a product: C = alpha sum + beta C, in float, rounded to half once.

#include <cuda_fp16.h>
#include <stdint.h>

struct Scaled {
  __half* C;  // [M, N]
  int M, N;
  float alpha, beta;

  // With beta 0, C may hold NaN and is not read.
  __device__ __half result(float sum, __half old) const {
    return __float2half(beta == 0.0f ? alpha * sum : alpha * sum + beta * __half2float(old));
  }

  // The halves of two neighbouring columns, in one register; N is even. No branch but for the load:
  // eight of these overlap each other's latencies.
  __device__ uint32_t packed(int row, int col, float x, float y) const {
    __half2 old = {};  // then beta old is 0
    if (beta != 0.0f && row < M && col < N) {
      old = *reinterpret_cast<const __half2*>(C + static_cast<int64_t>(row) * N + col);
    }
    return packed(x, y, old);
  }
  __device__ uint32_t packed(float x, float y, __half2 old) const {
    const __half2 pair = __floats2half2_rn(alpha * x + beta * __low2float(old),
                                           alpha * y + beta * __high2float(old));
    return reinterpret_cast<const uint32_t&>(pair);
  }

  // Two neighbouring columns; col is even. Rows of odd length are not aligned for __half2.
  __device__ void operator()(int row, int col, float x, float y) const {
    if (row >= M || col >= N) return;
    __half* const at = C + static_cast<int64_t>(row) * N + col;
    if (N % 2 == 0) {
      __half2 old = {};
      if (beta != 0.0f) old = *reinterpret_cast<__half2*>(at);
      *reinterpret_cast<__half2*>(at) =
          __halves2half2(result(x, __low2half(old)), result(y, __high2half(old)));
    } else {
      at[0] = result(x, beta == 0.0f ? __half() : at[0]);
      if (col + 1 < N) at[1] = result(y, beta == 0.0f ? __half() : at[1]);
    }
  }
};
