// Eight outputs per thread, one below the other: what an input row gives is kept in registers.
//
// At twice the size, outputs 2 i - 1 and 2 i lie between the same two input rows, and the lower of
// them is the upper one of the next two outputs. The thread keeps the horizontal mix of both rows
// and loads only rows that it does not have. Where the image shrinks by 2 or more, no row is used
// twice and nothing is lost. The kernel is in column_mix.h.
//
// Prediction: eight outputs at twice the size read 5 or 6 input rows, two loads each, and make 8
// stores: 20 accesses instead of 40. 33 us of them and 67 us of issue slots at 4x3x1080x1920 to
// 2160x3840, below 108 us of memory time: 118 us. Missed: a thread asks for a row when it has found
// that it lacks it, so six trips to memory follow one another.
// Measured: 209.2 us at 4x3x1080x1920x2160x3840, 56 % of the limit (H200, 2026-11-29)
#include "column_mix.h"

extern "C" void resize_bilinear(const float* input, float* output, int N, int C, int H, int W,
                                int H_out, int W_out) {
  const Resize resize = resize_of(H, W, H_out, W_out);
  launch_columns(input, output, static_cast<size_t>(N) * C, resize);
}
