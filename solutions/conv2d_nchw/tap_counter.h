#pragma once
// Channel, row and column of the kernel for one tap after the other, without a division.

#include "conv_shape.h"

struct TapCounter {
  int c = 0, i = 0, j = 0;

  __device__ void next(const ConvShape& s) {
    if (++j < s.kernel_cols) return;
    j = 0;
    if (++i < s.kernel_rows) return;
    i = 0;
    ++c;
  }
};

// BK taps of a window, from the counter's on. Past the last tap, the last channel is read again:
// its weight is 0.
template <int BK>
__device__ void load_window(float (&values)[BK], const Window& window, const ConvShape& s,
                            TapCounter& tap) {
#pragma unroll
  for (int k = 0; k < BK; ++k) {
    values[k] = window.load(s, min(tap.c, s.in_channels - 1), tap.i, tap.j);
    tap.next(s);
  }
}
