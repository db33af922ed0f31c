// A layer with few tiles of outputs is split over its taps, until the blocks fill the device.
//
// One image of 7 x 7 and 512 channels has 8 tiles of 64 x 128 outputs, and the device runs 396
// blocks. In rung 7 each of 8 blocks multiplies all 4608 taps. Here 49 blocks share the taps of a
// tile. Each leaves its sum, and a second kernel adds the parts of an output in their order: the
// result is the same in each run, which atomicAdd would not promise.
//
// Prediction: 576 tiles of taps become 12 per block, at 0.8 us each. With two launches, and 5 MB of
// parts, 18 us instead of 345. Missed: 32 us, so a tile takes longer with three blocks per SM.
// Measured: 31.9 us at 1x512x7x7x512x3x3x1x1, 20 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include "split_taps.h"

extern "C" void conv2d_nchw(const float* x, const float* weight, const float* bias, float* y,
                            int batch, int in_channels, int height, int width, int out_channels,
                            int kernel_rows, int kernel_cols, int stride, int padding) {
  const ConvShape s(batch, in_channels, height, width, out_channels, kernel_rows, kernel_cols,
                    stride, padding);
  using Shape = TileShape<64, 128, 8, 8>;
  if (is_deep(s)) {
    launch_filling<Shape, ByChannel>(x, weight, bias, y, s);
  } else {
    launch_filling<Shape, ByTap>(x, weight, bias, y, s);
  }
}
