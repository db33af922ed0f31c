// Clusters of two blocks, which share the tiles of A: each is read once for two blocks.
//
// A tile of 128 x 128 is small for FP8: rung 5 wants 64 bytes per clock and SM from L2, twice what
// comes. Wider tiles do not fit, as a thread has sums of a block and of C. Here a block loads half of
// a tile of A for both: 48 bytes per clock.
//
// Prediction: with a quarter or half of the bytes less igemm reaches 74 % of the limit: 1400 TFLOP/s,
// 0.175 ms at 4096 x 4096 x 7168. Missed: rung 5 does not wait for L2, and blocks that free each
// other's stages wait more. Of clusters of 2 x 2 only 30 fit at once, 120 of 132 SMs: 0.33 ms.
// Measured: 293.8 us at 4096x4096x7168, 43 % of the limit (H200, 2026-11-30)
#include "clusters.h"

extern "C" void fp8_gemm(const fp8* A, const fp8* B, const float* scale_a, const float* scale_b,
                         __nv_bfloat16* C, int M, int N, int K) {
  launch_clusters<OneSum>(A, B, Scales::of(scale_a, scale_b, M, N, K), C, K);
}
