// The product by TMA and wgmma: clusters of blocks share tiles by multicast, and TMA stores C.
//
// The kernel is in cluster_gemm.h; it takes bf16 and this last step. Two results make one register
// for stmatrix, so the two biases of neighbouring columns are one load. Needs compute capability
// 9.0 (sm_90a).
//
// Prediction: 0.188 ms of hgemm at 4096 cubed, and a GELU for each of 128 x 256 elements per tile,
// with erff about 35 instructions: 9000 clocks of a tile's 65536, which no product overlaps, since
// both consumers are at it. 4 tiles follow each other on an SM: 0.21 ms.
// Measured: 198.0 us at 4096x4096x4096, 74 % of the limit (H200, 2026-11-30)
#include <kata/kata.h>

#include "../common/cluster_gemm.h"
#include "gelu.h"
#include "store_gelu.h"

extern "C" void gemm_bias_gelu(const __nv_bfloat16* A, const __nv_bfloat16* B,
                               const __nv_bfloat16* bias, __nv_bfloat16* C, int M, int N, int K) {
  cluster_gemm(A, B, C, M, N, K, StoreGelu<gelu>{bias, C, M, N});
}
