#pragma once
// Rung 4's kernel: each thread makes columns of outputs, four beside each other.

#include "../common/aligned.h"
#include "../common/load4.h"
#include "column_mix.h"

constexpr int WIDE_ROWS = COLUMN_ROWS, WIDE_COLS = 4 * COLUMN_COLS;

__global__ void four_columns_kernel(const float* __restrict__ input, float* __restrict__ output,
                                    Resize resize, Tiles<WIDE_ROWS, WIDE_COLS> tiles) {
  const int first_row = tiles.first_row() + threadIdx.y * COLUMN;
  const int out_col = tiles.first_col() + threadIdx.x * 4;
  if (first_row >= resize.H_out || out_col >= resize.W_out) return;
  Taps x[4];
#pragma unroll
  for (int c = 0; c < 4; ++c) x[c] = taps_of(out_col + c, resize.ratio_x, resize.W);
  const float* in = input + tiles.layer() * resize.plane_size();
  float* out = output + tiles.layer() * resize.out_plane_size() + out_col;
  const auto mix_of_row = [&](int row) {
    const float* from = in + row * resize.W;
    Vec4 mixed;
#pragma unroll
    for (int c = 0; c < 4; ++c) mixed.at[c] = mix(from[x[c].low], from[x[c].high], x[c].weight);
    return mixed;
  };

  // The mixes of rows `low_row` and `high_row`, as in rung 3.
  int low_row = -1, high_row = -1;
  Vec4 low = {}, high = {};
#pragma unroll
  for (int r = 0; r < COLUMN; ++r) {
    const int out_row = first_row + r;
    if (out_row >= resize.H_out) return;
    const Taps y = taps_of(out_row, resize.ratio_y, resize.H);
    if (y.low != low_row) low = y.low == high_row ? high : mix_of_row(y.low);
    low_row = y.low;
    if (y.high != high_row) high = y.high == low_row ? low : mix_of_row(y.high);
    high_row = y.high;
    float4 value;
    value.x = mix(low.at[0], high.at[0], y.weight);
    value.y = mix(low.at[1], high.at[1], y.weight);
    value.z = mix(low.at[2], high.at[2], y.weight);
    value.w = mix(low.at[3], high.at[3], y.weight);
    __stcs(reinterpret_cast<float4*>(out + out_row * resize.W_out), value);
  }
}

// Rows of the output that are no whole float4 take rung 3's kernel.
inline void launch_four_columns(const float* input, float* output, size_t planes,
                                const Resize& resize) {
  if (resize.W_out % 4 != 0 || !is_aligned16(output)) {
    return launch_columns(input, output, planes, resize);
  }
  const Tiles<WIDE_ROWS, WIDE_COLS> tiles(resize);
  const dim3 block(COLUMN_COLS, COLUMN_THREAD_ROWS);
  four_columns_kernel<<<tiles.grid(planes), block>>>(input, output, resize, tiles);
}
