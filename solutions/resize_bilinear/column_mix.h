#pragma once
// Rung 3's kernel: each thread makes a column of outputs and keeps what two input rows gave.

#include "resize.h"

constexpr int COLUMN = 8;  // outputs per thread, one below the other
constexpr int COLUMN_THREAD_ROWS = 8, COLUMN_COLS = 32;
constexpr int COLUMN_ROWS = COLUMN_THREAD_ROWS * COLUMN;

__global__ void column_kernel(const float* __restrict__ input, float* __restrict__ output,
                              Resize resize,
                              Tiles<COLUMN_ROWS, COLUMN_COLS> tiles) {
  const int first_row = tiles.first_row() + threadIdx.y * COLUMN;
  const int out_col = tiles.first_col() + threadIdx.x;
  if (first_row >= resize.H_out || out_col >= resize.W_out) return;
  const Taps x = taps_of(out_col, resize.ratio_x, resize.W);
  const float* in = input + tiles.layer() * resize.plane_size();
  float* out = output + tiles.layer() * resize.out_plane_size() + out_col;
  const auto mix_of_row = [&](int row) {
    const float* from = in + row * resize.W;
    return mix(from[x.low], from[x.high], x.weight);
  };

  // The mixes of rows `low_row` and `high_row`. All lanes of a warp are in the same row, so the
  // branches do not diverge.
  int low_row = -1, high_row = -1;
  float low = 0.0f, high = 0.0f;
#pragma unroll
  for (int r = 0; r < COLUMN; ++r) {
    const int out_row = first_row + r;
    if (out_row >= resize.H_out) return;
    const Taps y = taps_of(out_row, resize.ratio_y, resize.H);
    if (y.low != low_row) low = y.low == high_row ? high : mix_of_row(y.low);
    low_row = y.low;
    if (y.high != high_row) high = y.high == low_row ? low : mix_of_row(y.high);
    high_row = y.high;
    out[out_row * resize.W_out] = mix(low, high, y.weight);
  }
}

inline void launch_columns(const float* input, float* output, size_t planes, const Resize& resize) {
  const Tiles<COLUMN_ROWS, COLUMN_COLS> tiles(resize);
  const dim3 block(COLUMN_COLS, COLUMN_THREAD_ROWS);
  column_kernel<<<tiles.grid(planes), block>>>(input, output, resize, tiles);
}
