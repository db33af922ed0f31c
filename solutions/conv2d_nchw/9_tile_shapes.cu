// Three shapes of tiles, and a choice of shape and parts by an estimate of the time.
//
// A tile of 64 x 128 outputs costs the same for 49 pixels as for 128, and for 22 output channels as
// for 64. Smaller tiles fit better, but 4 x 4 outputs per thread cost two loads of operands for 16
// FMAs, 8 x 8 four for 64. A block alone on its SM waits for its own loads; more blocks fill the
// gaps until the SM is busy. Two measured times per shape say when. Few channels keep rung 8.
//
// Prediction: 49 of 64 pixels of a tile exist at 1x512x7x7x512 instead of 49 of 128, and 16 x 20
// blocks of 29 tiles keep the device busy: 18 us instead of 32. Missed: 25 us.
// Measured: 24.7 us at 1x512x7x7x512x3x3x1x1, 26 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include "../common/grid_size.h"
#include "split_taps.h"

using Large = TileShape<64, 128, 8, 8>;
using Low = TileShape<32, 128, 4, 8>;
using Small = TileShape<32, 64, 4, 4>;

struct Plan {
  int parts;
  float us;
};

// The best number of parts for a shape. A tile of taps takes a block `alone_us` if it has the SM
// for itself, and `busy_us` times the number of blocks if the SM is busy (H200).
template <class Shape>
Plan plan_for(const ConvShape& s, float alone_us, float busy_us) {
  constexpr int MOST_PARTS = 96;
  constexpr float BLOCK_US = 1, SUM_US = 3.5f, PART_US = 0.1f, BYTES_PER_US = 2e6f;
  const int room = places<Shape, ByChannel>(), processors = one_wave(room, 1);
  const dim3 grid = Shape::grid(s);
  const float outputs = static_cast<float>(s.pixels()) * s.out_channels;
  const int tiles = ByChannel::tiles(s);
  Plan best = {1, INFINITY};
  for (int parts = 1; parts <= min(tiles, MOST_PARTS); ++parts) {
    const float blocks = static_cast<float>(grid.x) * grid.y * parts;
    const float on_sm = fminf(ceilf(blocks / processors), static_cast<float>(room / processors));
    const float waves = blocks < 4.0f * room ? ceilf(blocks / room) : blocks / room;
    float us = waves * (kata::ceil_div(tiles, parts) * fmaxf(alone_us, on_sm * busy_us) + BLOCK_US);
    if (parts > 1) us += SUM_US + parts * (PART_US + outputs * 8 / BYTES_PER_US);
    if (us < best.us) best = {parts, us};
  }
  return best;
}

extern "C" void conv2d_nchw(const float* x, const float* weight, const float* bias, float* y,
                            int batch, int in_channels, int height, int width, int out_channels,
                            int kernel_rows, int kernel_cols, int stride, int padding) {
  const ConvShape s(batch, in_channels, height, width, out_channels, kernel_rows, kernel_cols,
                    stride, padding);
  if (!is_deep(s)) return launch_filling<Large, ByTap>(x, weight, bias, y, s);
  const Plan large = plan_for<Large>(s, 0.67f, 0.463f);
  const Plan low = plan_for<Low>(s, 0.70f, 0.262f);
  const Plan small = plan_for<Small>(s, 0.46f, 0.166f);
  if (large.us <= fminf(low.us, small.us)) {
    launch_parts<Large, ByChannel>(x, weight, bias, y, s, large.parts);
  } else if (low.us <= small.us) {
    launch_parts<Low, ByChannel>(x, weight, bias, y, s, low.parts);
  } else {
    launch_parts<Small, ByChannel>(x, weight, bias, y, s, small.parts);
  }
}
