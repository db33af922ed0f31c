// Short starts and ends: less time before a block's first product and after its last.
//
// At 1024 cubed, a block of rung 13 multiplies for 4.5 us and needs 3.3 us more to store, through a
// cluster of one block. Here it stores its own sums, and 512 cubed need not be cut along K. A large
// tile waits 1.8 us for its first data: here the loads start before the blocks of a cluster meet.
// The common case, beta 0 and nothing cut, has kernels of its own. They have half of the code or
// less; a kernel's first run reads it from DRAM.
//
// Prediction: 9.3 us instead of 12.2 at 1024 cubed, 7.4 instead of 9.4 at 512 cubed, 27.5 instead of
// 28.4 at 2048 cubed, 1 us less at 4096 cubed.
// Measured: 184.7 us at 4096x4096x4096, 83 % of the limit (H100 80GB HBM3, 2026-11-25)
#include "scaled.h"
#include "tile_by_shape.h"
#include "times_alpha.h"

constexpr bool EARLY = true;

extern "C" void hgemm(const __half* A, const __half* B, __half* C, int M, int N, int K, float alpha,
                      float beta) {
  const Scaled scaled = {C, M, N, alpha, beta};
  const bool common = beta == 0.0f && N % 8 == 0;
  const int parts = choose(M, N, K, common ? ALONE_US : ENDS_US);
  if (parts == 1 && common) {
    small::product<true>(A, B, K, 1, AlignedTimesAlpha{{alpha}, C, M, N});
  } else if (parts > 0) {
    small::product(A, B, K, parts, scaled);
  } else if (common && !cuts_tiles(M, N, K)) {
    launch_cluster_gemm<WholeTiles, true, EARLY>(A, B, C, M, N, K, TimesAlpha{alpha});
  } else {
    cluster_gemm<SplitTail, EARLY>(A, B, C, M, N, K, scaled);
  }
}
