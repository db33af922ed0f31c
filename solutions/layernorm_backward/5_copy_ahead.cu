// The next row is copied to shared memory while the block reduces this one.
//
// In rung 4 memory waits while a block goes through two reductions. cp.async brings the block's
// next row to the other of two stages in the meantime, without registers. Each thread reads back
// what it copied itself, so no barrier is added. gamma, 16 KB, comes from L1 again for each row,
// which leaves registers for the sums. The kernel is in copied_rows.h.
//
// Prediction: an SM has two blocks with 32 KB under way at any time, where 23 KB cover the latency
// of memory: 100 us at 8192 x 4096 instead of 115. 4096 x 1023 by 4-byte copies: 18 us. Missed: 39
// us there. A block has 15 rows, each 2 us with its two barriers; the partial sums take 9 us.
// Measured: 111.8 us at 8192x4096, 85 % of the limit (H200, 2026-11-29)
#include "copied_rows.h"

template <bool VECTOR>
void launch(const float* x, const float* gamma, const float* dy, float* dx, float* dgamma,
            float* dbeta, int rows, int cols, float eps) {
  if (cols <= 4096) {
    launch_middle_rows<VECTOR>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  } else {
    const float2* statistics = launch_rows(x, gamma, dy, dx, rows, cols, eps);
    launch_column_sums(x, dy, statistics, dgamma, dbeta, rows, cols);
  }
}

extern "C" void layernorm_backward(const float* x, const float* gamma, const float* dy, float* dx,
                                   float* dgamma, float* dbeta, int rows, int cols, float eps) {
  if (rows_are_aligned(x, gamma, dy, dx, cols)) {
    launch<true>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  } else {
    launch<false>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  }
}
