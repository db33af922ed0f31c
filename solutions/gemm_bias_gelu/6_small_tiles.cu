// Small tiles: hgemm's tiles of 128 x 64 where those of 256 x 256 leave most of the chip idle.
//
// 183 x 279 has two tiles of 256 x 256, for 66 clusters of two blocks, and each goes through all of
// K alone. hgemm's rungs 13 and 14 have the remedy, for any type and last step: tiles of 128 x 64,
// for which 1 to 8 blocks of a cluster share K, chosen by a model of the time (tile_by_shape.h).
// Large tiles are cut along K if they are few (split_tail.h).
//
// Prediction (H200): 13 us instead of 54 at 183x279x3070, 16 instead of 67 at 286x309x4552, 8
// instead of 13 at 512 cubed; no change at 4096 cubed, whose tiles fill four waves. Trials took
// 12.8, 15.8 and 7.3 (2026-11-29; with one launch for both copies, 2 us less for the first).
// Measured: 187.2 us at 4096x4096x4096, 78 % of the limit (H200, 2026-11-30)
#include <kata/kata.h>

#include "../hgemm/tile_by_shape.h"
#include "gelu_by_tail.h"
#include "store_gelu.h"

extern "C" void gemm_bias_gelu(const __nv_bfloat16* A, const __nv_bfloat16* B,
                               const __nv_bfloat16* bias, __nv_bfloat16* C, int M, int N, int K) {
  const StoreGelu<gelu_by_tail> store = {bias, C, M, N};
  const bool aligned = N % 8 == 0;
  const int parts = choose(M, N, K, aligned ? ALONE_US : ENDS_US);
  if (parts == 1 && aligned) {
    small::product<true>(A, B, K, 1, store);
  } else if (parts > 0) {
    small::product(A, B, K, parts, store);
  } else if (cuts_tiles(M, N, K)) {
    cluster_gemm<SplitTail>(A, B, C, M, N, K, store);
  } else {
    cluster_gemm(A, B, C, M, N, K, store);
  }
}
