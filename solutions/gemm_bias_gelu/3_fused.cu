// Bias and GELU on the accumulators: the sums never leave the registers.
//
// A thread holds pairs of neighbouring columns (2 place and 2 place + 1 of each 16 x 8 fragment,
// see tensor_core.h), so it reads two biases for each pair, from the L1 cache, and stores one
// __nv_bfloat162. Only the last step of the product changes. The rung to reach in 30 minutes.
//
// Prediction: 0.26 ms of hgemm's rung 6 at 4096 cubed, and 128 GELU of 30 instructions per thread:
// 3840 * 4 warps on 4 schedulers, 2 us per tile, half hidden by the other block of the SM. 8 tiles
// follow each other on an SM: 0.27 ms. At K = 1024 that is a tenth of the time. Missed: hgemm's
// rung 6 takes 568 us, not 260, and GELU adds 67, no less than the second kernel did. At K = 1024
// fusing saves 8 %.
// Measured: 626.0 us at 4096x4096x4096, 23 % of the limit (H200, 2026-11-30)
#include <kata/kata.h>

#include "../common/async_gemm.h"
#include "gelu.h"
#include "store_gelu.h"

extern "C" void gemm_bias_gelu(const __nv_bfloat16* A, const __nv_bfloat16* B,
                               const __nv_bfloat16* bias, __nv_bfloat16* C, int M, int N, int K) {
  gemm(A, B, M, N, K, StoreGelu<gelu>{bias, C, M, N});
}
