#pragma once
// Rung 6's choice of threads and rows for rows of up to 4096 columns.

#include "row_kernel.h"

template <bool VECTOR>
void launch_short_rows(const float* y, const float* dy, float* dx, int rows, int cols) {
  if (cols <= 128) {
    launch_rows<32, 1, 4, 32, VECTOR>(y, dy, dx, rows, cols);
  } else if (cols <= 256) {
    launch_rows<32, 2, 2, 32, VECTOR>(y, dy, dx, rows, cols);
  } else if (cols <= 512) {
    launch_rows<32, 4, 1, 32, VECTOR>(y, dy, dx, rows, cols);
  } else if (cols <= 1024) {
    launch_rows<128, 2, 1, 128, VECTOR>(y, dy, dx, rows, cols);
  } else if (cols <= 2048) {
    launch_rows<128, 4, 1, 128, VECTOR>(y, dy, dx, rows, cols);
  } else {
    launch_rows<256, 4, 1, 256, VECTOR>(y, dy, dx, rows, cols);
  }
}
