// A warp's multipliers come from shared memory, four in one access, instead of one by a shuffle.
//
// A finished column is stored to shared memory once. All lanes then read the same four entries at a
// time: N^2 / 8 accesses instead of N^2 / 2 shuffles. The columns stay there and leave as rows of L.
// With so few instructions, a lane can have two rows: up to 64 columns (column_broadcast.h). Larger
// matrices are left to rung 4.
//
// Prediction: 65536 x 32: 190 wavefronts per matrix, 1200 issue slots, 85 us; memory takes 88: 110
// us. 16384 x 64 is as many bytes: 13 warps per SM, 64 columns of 200 clocks each: 130 us.
// Measured: 5926.6 us at 640x512, 7.3 % of the limit (H200, 2026-11-29)
#include "column_broadcast.h"
#include "panels.h"

extern "C" void cholesky(const float* A, float* L, int batch, int n) {
  if (n > 64) return launch_panels(A, L, batch, n);
  launch_small(A, L, batch, n);
}
