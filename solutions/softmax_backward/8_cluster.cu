// A cluster of blocks per long row: 8 blocks hold 131072 columns of y and dy on the chip.
//
// Blocks of a cluster run at the same time and can read each other's shared memory. Each takes
// every CLUSTER-th slice of 16384 columns and publishes its part of the sum; after a cluster
// barrier every block adds up all parts. A block must not end while others read its part: it
// arrives at a second barrier before it stores, and waits there after it.
//
// Prediction: 12 bytes per element instead of 19 at 512 x 131072: 187 us at 4.3 TB/s instead of
// 296. Clusters of 8 leave some SMs of a GPC without work: 195 us.
// Measured: 210.1 us at 512x131072, 90 % of the limit (H200, 2026-11-29)
#include "long_rows.h"
#include "short_rows.h"

template <bool VECTOR>
void launch(const float* y, const float* dy, float* dx, int rows, int cols) {
  if (cols <= 4096) {
    launch_short_rows<VECTOR>(y, dy, dx, rows, cols);
  } else if (cols <= LONG_SLICE || !has_clusters()) {
    launch_long_rows<1, VECTOR>(y, dy, dx, rows, cols);
  } else if (cols <= 2 * LONG_SLICE) {
    launch_long_rows<2, VECTOR>(y, dy, dx, rows, cols);
  } else if (cols <= 4 * LONG_SLICE) {
    launch_long_rows<4, VECTOR>(y, dy, dx, rows, cols);
  } else {
    launch_long_rows<8, VECTOR>(y, dy, dx, rows, cols);
  }
}

extern "C" void softmax_backward(const float* y, const float* dy, float* dx, int rows, int cols) {
  if (rows_are_aligned(y, dy, dx, cols)) {
    launch<true>(y, dy, dx, rows, cols);
  } else {
    launch<false>(y, dy, dx, rows, cols);
  }
}
