// Unaligned tiles: small products whose rows are not aligned take one launch, not three.
//
// Rung 14 first copies A and B to padded rows, which takes 4 us and more. Here the TMA unit reads
// the rows as they are, from multiples of 16 bytes on, and all threads shift them into the tiles of
// wgmma (any_rows.h). A step of K takes longer than in rung 14, which has the products with more
// than a few steps: see product() in any_rows_gemm.h.
//
// Prediction (H200): launch 3 us, first data 1.5, four steps 1.4, store 0.6: 6.5 instead of 13.2 at
// 199x627x228; 11 instead of 29.3 at 5594x421x180. Missed: a step takes 1 to 1.5. Trials took 8.9;
// 21.1 (with a third stage); 11.2 at 736x175x259; 11.9 at 1407x1285x79. Rung 14: 13.9; 29.1; 14.0;
// 23.7. cuBLAS: 8.7; 19.7; 9.5; 11.1.
// Measured: not yet
#include "../common/any_rows_gemm.h"
#include "scaled.h"
#include "tile_by_shape.h"
#include "times_alpha.h"

constexpr bool EARLY = true;

// One element at a time: neighbouring lanes have neighbouring columns, at any alignment.
struct ScaledElement : Scaled {
  __device__ void operator()(int row, int col, float sum) const {
    if (row >= M || col >= N) return;
    __half* const at = C + static_cast<int64_t>(row) * N + col;
    *at = result(sum, beta == 0.0f ? __half() : *at);
  }
};

extern "C" void hgemm(const __half* A, const __half* B, __half* C, int M, int N, int K, float alpha,
                      float beta) {
  const Scaled scaled = {C, M, N, alpha, beta};
  const bool two_copies = K % 8 != 0 && N % 8 != 0;
  if (two_copies && any_rows::product(A, B, K, processors(), ScaledElement{scaled})) return;
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
