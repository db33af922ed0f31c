// Of a long row dy stays in registers and y in shared memory: 16384 columns are read once.
//
// 512 threads with 8 float4 each hold 64 KiB of dy. As much of y goes to shared memory by cp.async,
// without passing through registers, so a thread stays below 64 registers and two blocks share an
// SM: one loads while the other stores. Each thread reads back only what it copied itself, so the
// copies need no barrier. The kernel is in long_rows.h.
//
// Prediction: 12 bytes per element up to 16384 columns: 94 us at 2048 x 16384, where rung 6 reads
// half of each row twice: 125 us. At 512 x 131072 7/8 of each row are still read twice: 296 us.
// Measured: 96.6 us at 2048x16384, 98 % of the limit (H200, 2026-11-29)
#include "long_rows.h"
#include "short_rows.h"

template <bool VECTOR>
void launch(const float* y, const float* dy, float* dx, int rows, int cols) {
  if (cols <= 4096) {
    launch_short_rows<VECTOR>(y, dy, dx, rows, cols);
  } else {
    launch_long_rows<1, VECTOR>(y, dy, dx, rows, cols);
  }
}

extern "C" void softmax_backward(const float* y, const float* dy, float* dx, int rows, int cols) {
  if (rows_are_aligned(y, dy, dx, cols)) {
    launch<true>(y, dy, dx, rows, cols);
  } else {
    launch<false>(y, dy, dx, rows, cols);
  }
}
