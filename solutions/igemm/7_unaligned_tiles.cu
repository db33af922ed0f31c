// Unaligned tiles: small products whose rows are not aligned take one launch, not three.
//
// As hgemm's rung 15: the TMA unit reads rows of A and B from multiples of 16 bytes on, and all
// threads shift them into the tiles of wgmma. Tiles of C are 64 x 64 or 128 x 64, so small products
// occupy more SMs than with 256 x 256. A warp stores whole rows of a tile, where rung 6 scatters
// pairs if they are not aligned. Products with more than a few steps of K go rung 6's way.
//
// Prediction (H200): 7 us instead of 19.2 at 328x3541x96, which has 28 tiles of 256 x 256 and one
// step of K; 18 instead of 39.9 at 5521x743x651. Missed at the latter: a trial took 48.4, so it
// goes rung 6's way. Trials took 8.8; 11.8 at 511 cubed; 7.1 at 250 cubed; 11.6 at 97x8191x333
// (with a third stage). Rung 6: 18.5; 25.3; 16.9; 22.8.
// Measured: not yet
#include "../common/any_rows_gemm.h"
#include "../common/cluster_gemm.h"
#include "store_ints.h"

extern "C" void igemm(const signed char* A, const signed char* B, int* C, int M, int N, int K) {
  const StoreInts store = {C, M, N};
  const bool unaligned = K % 16 != 0 || N % 4 != 0;  // rows of A and B, or of C
  if (unaligned && any_rows::product(A, B, K, processors(), store)) return;
  cluster_gemm(A, B, C, M, N, K, store);
}
