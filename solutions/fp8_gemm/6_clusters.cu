// Clusters of 2 x 2 blocks: each tile of A and of B is read once for two blocks.
//
// A tile of 128 x 128 is small for FP8: rung 5 wants 64 bytes per clock and SM from L2, twice what
// comes. Wider tiles do not fit, as a thread has sums of a block and of C. Here four blocks make
// 256 x 256 of C. A block loads half of a tile of A for itself and its neighbour in the row, and
// half of a tile of B for its neighbour in the column: 32 bytes per clock.
//
// Prediction: 32 clusters have 128 of 132 SMs, and 1024 tiles are 8 for each. igemm has the same
// bytes for the same clocks and reaches 74 % of the limit: 1400 TFLOP/s, 0.175 ms at 4096 x 4096 x
// 7168.
// Measured: not yet
#include "clusters.h"

extern "C" void fp8_gemm(const fp8* A, const fp8* B, const float* scale_a, const float* scale_b,
                         __nv_bfloat16* C, int M, int N, int K) {
  launch_clusters<OneSum>(A, B, Scales::of(scale_a, scale_b, M, N, K), C, K);
}
