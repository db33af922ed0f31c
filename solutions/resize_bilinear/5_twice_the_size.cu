// Exactly twice the size has constant weights, 1/4 and 3/4: a thread makes four outputs of a row.
//
// Most upsampling layers double both sizes. Then outputs 2 i and 2 i + 1 take 3/4 of input i and
// 1/4 of the neighbour above or below; at the rim the neighbour is the input itself. Two inputs and
// one on each side give four outputs of a row, one float4 store. A thread walks down two input
// rows and keeps the mixes of three of them. Other ratios, and odd W, take rung 4. The
// kernel is in doubling.h.
//
// Prediction: per input row three loads and two float4 stores for eight outputs, and 4 instructions
// per output instead of 10. 14 us of issue slots at 4x3x1080x1920 to 2160x3840 leave only the
// memory. Short strips keep many rows of outputs in flight: 124 us, next to 117 us.
// Measured: 124.8 us at 4x3x1080x1920x2160x3840, 94 % of the limit (H200, 2026-11-28)
#include "doubling.h"
#include "four_columns.h"

extern "C" void resize_bilinear(const float* input, float* output, int N, int C, int H, int W,
                                int H_out, int W_out) {
  const Resize resize = resize_of(H, W, H_out, W_out);
  const size_t planes = static_cast<size_t>(N) * C;
  if (launch_doubling(input, output, planes, resize)) return;
  launch_four_columns(input, output, planes, resize);
}
