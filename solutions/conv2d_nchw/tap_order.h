#pragma once
// The orders in which rungs 7 to 9 take the taps of a layer, a tile of BK taps at a time. Any order
// gives the sum, as long as weights and windows follow the same one.

#include "conv_shape.h"

constexpr int BK = 8;

// A tile is one row and column of the kernel in BK channels. The next tile is the next row and
// column in the same channels: its weights lie in the sectors that were just read.
struct ByChannel {
  int c, i, j;

  __device__ ByChannel(const ConvShape& s, int tile) {
    const int kernel = s.kernel_rows * s.kernel_cols;
    c = tile / kernel * BK;
    i = tile % kernel / s.kernel_cols;
    j = tile % s.kernel_cols;
  }

  __host__ __device__ static int tiles(const ConvShape& s) {
    return (s.in_channels + BK - 1) / BK * s.kernel_rows * s.kernel_cols;
  }

  __device__ void next(const ConvShape& s) {
    if (++j < s.kernel_cols) return;
    j = 0;
    if (++i < s.kernel_rows) return;
    i = 0;
    c += BK;
  }

  // Where tap k of the tile lies in the weights of an output channel; -1: there is none.
  __device__ int weight(const ConvShape& s, int k) const {
    if (c + k >= s.in_channels) return -1;
    return ((c + k) * s.kernel_rows + i) * s.kernel_cols + j;
  }

  // COUNT taps of a window, from tap k of the tile on, and on to the next tile. The bounds are
  // checked once.
  template <int COUNT>
  __device__ void load(float (&values)[COUNT], const Window& window, const ConvShape& s, int k) {
    const int row = window.row + i, col = window.col + j, channel = s.height * s.width;
    const bool in_bounds = static_cast<unsigned>(row) < static_cast<unsigned>(s.height) &&
                           static_cast<unsigned>(col) < static_cast<unsigned>(s.width);
    const int count = in_bounds ? s.in_channels - c - k : 0;  // that exist, or more
    const float* from = window.image + (c + k) * channel + row * s.width + col;
#pragma unroll
    for (int t = 0; t < COUNT; ++t, from += channel) values[t] = t < count ? *from : 0.0f;
    next(s);
  }
};

// Rung 6's order, for layers of few channels: a tile is BK taps in the order of the weights.
struct ByTap {
  int tap, c, i, j;

  __device__ ByTap(const ConvShape& s, int tile) {
    tap = tile * BK;
    j = tap % s.kernel_cols;
    i = tap / s.kernel_cols % s.kernel_rows;
    c = tap / s.kernel_cols / s.kernel_rows;
  }

  __host__ __device__ static int tiles(const ConvShape& s) { return (s.taps() + BK - 1) / BK; }

  __device__ void next(const ConvShape& s) {
    ++tap;
    if (++j < s.kernel_cols) return;
    j = 0;
    if (++i < s.kernel_rows) return;
    i = 0;
    ++c;
  }

  __device__ int weight(const ConvShape& s, int k) const {
    return tap + k < s.taps() ? tap + k : -1;
  }

  template <int COUNT>
  __device__ void load(float (&values)[COUNT], const Window& window, const ConvShape& s, int k) {
#pragma unroll
    for (int t = 0; t < BK; ++t) {  // past the last tap, any input will do: the weight is 0
      if (t / COUNT == k / COUNT) {
        values[t % COUNT] = window.load(s, min(c, s.in_channels - 1), i, j);
      }
      next(s);
    }
  }
};

// ByChannel fills the last tile of each row and column with zeros, up to 7 channels of them.
inline bool is_deep(const ConvShape& s) {
  return ByChannel::tiles(s) <= ByTap::tiles(s) * 5 / 4;
}
