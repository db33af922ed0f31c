// A product on tensor cores that leaves float sums, then a kernel for bias and GELU.
//
// The product is hgemm's rung 6 (async_gemm.h). Its sums stay float: sums rounded to bf16 would be
// rounded twice in the end. That is what a call of a library and a kernel of your own cost.
//
// Prediction: the product as in hgemm, 0.26 ms at 4096 cubed. The sums are written and read once, 2
// * 67 MB, and C is 34 MB: 40 us of device memory that the fused kernel saves; 0.30 ms. Missed:
// hgemm's rung 6 takes 568 us, not 260. The sums and the second kernel add 62.
// Measured: 621.5 us at 4096x4096x4096, 23 % of the limit (H200, 2026-11-30)
#include <cuda_bf16.h>

#include <kata/kata.h>

#include "../common/async_gemm.h"
#include "gelu.h"

struct StoreFloats {
  float* sums;  // [M, N]
  int M, N;

  __device__ void operator()(int row, int col, float x, float y) const {
    if (row >= M || col >= N) return;
    float* const at = sums + static_cast<int64_t>(row) * N + col;
    at[0] = x;
    if (col + 1 < N) at[1] = y;
  }
};

__global__ void bias_gelu(const float* sums, const __nv_bfloat16* bias, __nv_bfloat16* C,
                          int64_t size, int N) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < size) C[i] = __float2bfloat16(gelu(sums[i] + __bfloat162float(bias[i % N])));
}

extern "C" void gemm_bias_gelu(const __nv_bfloat16* A, const __nv_bfloat16* B,
                               const __nv_bfloat16* bias, __nv_bfloat16* C, int M, int N, int K) {
  static Scratch<float> scratch;
  const int64_t size = static_cast<int64_t>(M) * N;
  float* const sums = scratch.get(size);
  gemm(A, B, M, N, K, StoreFloats{sums, M, N});
  bias_gelu<<<(size - 1) / 256 + 1, 256>>>(sums, bias, C, size, N);
}
