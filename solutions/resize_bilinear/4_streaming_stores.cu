// Outputs are stored as data that is not used again, so L2 keeps the input.
//
// Four fifths of the traffic are outputs. As ordinary stores they push input rows out of L2 that
// another block still needs: a tile of 64 output rows reads 34 input rows at twice the size, of
// which two belong to the tiles above and below. __stcs marks the lines as the first to be evicted.
// The kernel is the one of rung 3.
//
// Prediction: at most 2 of 34 reads are saved, 1 % of the traffic, and most of them came from L2
// before. 115 us at 4x3x1080x1920 to 2160x3840.
// Measured: 207.7 us at 4x3x1080x1920x2160x3840, 57 % of the limit (H200, 2026-11-28)
#include "column_mix.h"

extern "C" void resize_bilinear(const float* input, float* output, int N, int C, int H, int W,
                                int H_out, int W_out) {
  const Resize resize = resize_of(H, W, H_out, W_out);
  launch_columns<true>(input, output, static_cast<size_t>(N) * C, resize);
}
