// A thread takes eight planes, or fewer where the grid is small; outputs are numbered in a plane.
//
// Rung 2 loops over eight planes and rung 4 walks down eight rows, whatever the size: a small image
// becomes a few long chains of loads. Here the loop has 8, 4, 2 or 1 planes, so that four blocks
// per SM have work. A warp takes 32 neighbouring outputs of a plane, across the ends of rows, so no
// lane is idle in narrow planes. Layers that at least double the rows take rung 4 if it has two
// blocks per SM: input rows serve several outputs. Exact doubling is faster in rung 5.
//
// Prediction: 1x3x480x640 to 224x224 has 588 blocks of one plane instead of 196 of three, and a
// launch plus two trips to memory: 4.4 us instead of 5.0. Missed: 5.5 us instead of 6.3.
// Measured: 5.4 us at 1x3x480x640x224x224, 93 % of the limit (H200, 2026-11-29)
#include <limits.h>

#include "../common/grid_size.h"
#include "four_columns.h"

constexpr int THREADS = 256;

// Block b computes outputs b % across * THREADS and on of PLANES planes.
template <int PLANES>
__global__ void __launch_bounds__(THREADS)
    planes_kernel(const float* __restrict__ input, float* __restrict__ output, size_t planes,
                  Resize resize, unsigned across) {
  const unsigned i = blockIdx.x % across * THREADS + threadIdx.x;
  if (i >= resize.out_plane_size()) return;
  const Taps y = taps_of(i / resize.W_out, resize.ratio_y, resize.H);
  const Taps x = taps_of(i % resize.W_out, resize.ratio_x, resize.W);
  const int above = y.low * resize.W, below = y.high * resize.W;
  const size_t first = size_t{blockIdx.x / across} * PLANES;
  const float* in = input + first * resize.plane_size();
  float* out = output + first * resize.out_plane_size() + i;
  const int count = min(planes - first, static_cast<size_t>(PLANES));
#pragma unroll 4
  for (int p = 0; p < count; ++p) {
    *out = mix(mix(in[above + x.low], in[above + x.high], x.weight),
               mix(in[below + x.low], in[below + x.high], x.weight), y.weight);
    in += resize.plane_size();
    out += resize.out_plane_size();
  }
}

// False if a thread with so many planes leaves the device without four blocks per SM.
template <int PLANES>
bool launch_planes(const float* input, float* output, size_t planes, const Resize& resize) {
  const size_t across = (resize.out_plane_size() - 1) / THREADS + 1;
  const size_t blocks = across * ((planes - 1) / PLANES + 1);
  if (PLANES > 1 && blocks < static_cast<size_t>(one_wave(INT_MAX, 4))) return false;
  planes_kernel<PLANES><<<static_cast<unsigned>(blocks), THREADS>>>(input, output, planes, resize,
                                                                    static_cast<unsigned>(across));
  return true;
}

// Whether rung 4 has two blocks per SM, and input rows that serve at least two output rows.
static bool is_for_columns(size_t planes, const Resize& resize) {
  const int cols = resize.W_out % 4 == 0 ? WIDE_COLS : COLUMN_COLS;
  const size_t blocks =
      planes * kata::ceil_div(resize.H_out, COLUMN_ROWS) * kata::ceil_div(resize.W_out, cols);
  return resize.H_out >= 2 * resize.H && blocks >= static_cast<size_t>(one_wave(INT_MAX, 2));
}

extern "C" void resize_bilinear(const float* input, float* output, int N, int C, int H, int W,
                                int H_out, int W_out) {
  const Resize resize = resize_of(H, W, H_out, W_out);
  const size_t planes = static_cast<size_t>(N) * C;
  if (is_for_columns(planes, resize)) {
    return launch_four_columns(input, output, planes, resize);
  }
  if (launch_planes<8>(input, output, planes, resize)) return;
  if (launch_planes<4>(input, output, planes, resize)) return;
  if (launch_planes<2>(input, output, planes, resize)) return;
  launch_planes<1>(input, output, planes, resize);
}
