// Panels again, but a tile goes from its product to L without a detour, and the product is faster.
//
// Rung 4 writes updated rows to L, reads the diagonal block back, and lets each thread read and write
// a row of L of its own: 32 lanes touch 32 lines. Here a tile of 128 x 32 entries stays in shared
// memory while it is factored or solved, and is stored in order. Its product reads four rows and four
// columns as one float4 each: 2 accesses per 16 multiply-adds instead of 12 (tiles.h).
//
// Prediction: 640 x 512 has 28.6 GFLOP, 0.43 ms at best; rows above the diagonal of a tile and half
// speed make it 1.1 ms, the solves 0.2. 5 blocks per SM hide each other's factored blocks: 1300 us.
// Measured: 2214.6 us at 640x512, 20 % of the limit (H200, 2026-11-29)
#include "column_broadcast.h"
#include "tiles.h"

extern "C" void cholesky(const float* A, float* L, int batch, int n) {
  if (n <= 64) return launch_small(A, L, batch, n);
  launch_tiles(A, L, batch, n);
}
