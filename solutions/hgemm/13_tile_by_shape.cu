// Tile by shape: products with few tiles of 256 x 256 take tiles of 128 x 64.
//
// 1024 cubed has 16 tiles of 256 x 256 for 66 clusters. Rung 12 cuts them along K and adds the
// parts through L2, which takes longer than the product. 128 tiles of 128 x 64 occupy the chip
// uncut. With fewer tiles, the 2, 4 or 8 blocks of a cluster share K and add through distributed
// shared memory (small_tile.h). A large tile reads less per product, so each shape takes the kernel
// and the number of parts for which a model of the time gives less.
//
// Prediction: 1024 cubed in 12.5 us instead of 20, 256 x 256 x 16384 in 16.5 us instead of 36, and
// no change where 256 x 256 tiles occupy at least half of the chip.
// Measured: 186.9 us at 4096x4096x4096, 82 % of the limit (H100 80GB HBM3, 2026-11-25)
#include "scaled.h"
#include "tile_by_shape.h"

extern "C" void hgemm(const __half* A, const __half* B, __half* C, int M, int N, int K, float alpha,
                      float beta) {
  const Scaled scaled = {C, M, N, alpha, beta};
  if (const int parts = choose(M, N, K)) {
    small::product(A, B, K, parts, scaled);
  } else {
    cluster_gemm<SplitTail>(A, B, C, M, N, K, scaled);
  }
}
