// Wide rows: a team of blocks shares a batch of rows, and each block keeps the sums of its columns.
//
// A row of 131072 columns needs 128 SMs to be read once. Each block has 1024 columns of 8 rows on
// the chip, as in rung 7, and publishes the four sums of its part of a row in global memory. It
// merges those of all blocks one batch later, when they are there. One exchange serves 8 rows: sums
// about the parts' own means need no mean of the row first. The kernel is in team_rows.h.
//
// Prediction: at 512 x 131072 rung 6 moves 32 bytes per element, 510 us. 12 bytes are 189 us, 2.9
// us for a batch. Its chain of sums, count, merge and gradients takes 4 us, the limit: 260 us.
// Missed: a batch takes 4.9 us, with warps at barriers and memory half idle. Clusters of 8 blocks
// are slower: 15 fit at once, not 16, and took 423 us.
// Measured: 314.6 us at 512x131072, 60 % of the limit (H200, 2026-11-29)
#include "copied_rows.h"
#include "narrow_rows.h"
#include "team_rows.h"

template <bool VECTOR>
void launch(const float* x, const float* gamma, const float* dy, float* dx, float* dgamma,
            float* dbeta, int rows, int cols, float eps) {
  if (cols <= 512) {
    launch_short_rows<VECTOR>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  } else if (cols <= BATCH_COLS && is_aligned16(x) && is_aligned16(dy)) {
    launch_row_batches<VECTOR>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  } else if (cols <= 4096) {
    launch_middle_rows<VECTOR>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  } else if (!VECTOR || !launch_team_rows(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps)) {
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
