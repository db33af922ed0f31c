// Two sums in turn: a warpgroup starts the next block of K before it adds the last one.
//
// With one sum a warpgroup waits for its products, then adds, and the tensor cores have only the
// other warpgroup's work meanwhile: if that one waits for a stage, nothing runs. Here each
// warpgroup has always a block under way. 64 sums of C and twice 64 of blocks are 192 registers.
//
// Prediction: the waits of a block were about 60 clocks of 512: 8 % less than rung 6, 0.162 ms at
// 4096 x 4096 x 7168. Missed with rung 6's; it is 11 % less.
// Measured: 260.4 us at 4096x4096x7168, 49 % of the limit (H200, 2026-11-30)
#include "two_sums.h"

extern "C" void fp8_gemm(const fp8* A, const fp8* B, const float* scale_a, const float* scale_b,
                         __nv_bfloat16* C, int M, int N, int K) {
  launch_clusters<TwoSums>(A, B, Scales::of(scale_a, scale_b, M, N, K), C, K);
}
