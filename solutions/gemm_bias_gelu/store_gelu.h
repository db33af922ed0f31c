#pragma once
// The end of a product: C = gelu(sum + bias), in float, rounded to bf16 once.

#include <cuda_bf16.h>
#include <stdint.h>

template <float (*GELU)(float)>
struct StoreGelu {
  const __nv_bfloat16* bias;  // [N]
  __nv_bfloat16* C;           // [M, N]
  int M, N;

  __device__ float result(int col, float sum) const {
    return GELU(sum + __bfloat162float(bias[col]));
  }

  // The results of two neighbouring columns, in one register; col and N are even. No branch but for
  // the load: eight of these overlap each other's latencies.
  __device__ uint32_t packed(int, int col, float x, float y) const {
    __nv_bfloat162 two = {};
    if (col < N) two = __ldg(reinterpret_cast<const __nv_bfloat162*>(bias + col));
    const __nv_bfloat162 results =
        __floats2bfloat162_rn(GELU(x + __low2float(two)), GELU(y + __high2float(two)));
    return reinterpret_cast<const uint32_t&>(results);
  }

  // Two neighbouring columns; col is even. Rows of odd length are not aligned for __nv_bfloat162.
  __device__ void operator()(int row, int col, float x, float y) const {
    if (row >= M || col >= N) return;
    __nv_bfloat16* const at = C + static_cast<int64_t>(row) * N + col;
    if (N % 2 == 0) {
      *reinterpret_cast<__nv_bfloat162*>(at) =
          __floats2bfloat162_rn(result(col, x), result(col + 1, y));
    } else {
      at[0] = __float2bfloat16(result(col, x));
      if (col + 1 < N) at[1] = __float2bfloat16(result(col + 1, y));
    }
  }
};
