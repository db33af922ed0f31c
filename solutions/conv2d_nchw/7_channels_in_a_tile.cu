// A tile is one tap of eight channels, so a thread checks the bounds of its pixel once per tile.
//
// In rung 6 a tile is eight taps in the order of the weights, and each input costs two comparisons,
// an address and a step of the counter: 25 instructions. The order of the taps is free. With the
// channels innermost, the eight inputs of a thread lie one channel apart, at the same row and
// column, and are all inside the image or all outside. Layers of few channels keep rung 6's order.
//
// Prediction: 5 instructions per input instead of 25. A tile costs a warp 690 instructions instead
// of 855, of which 512 are FMAs: 194 us at 80 % of the issue slots. Missed by 10 %.
// Measured: 213.5 us at 32x64x56x56x64x3x3x1x1, 53 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include "shaped_tile.h"

using Shape = TileShape<64, 128, 8, 8>;

template <class Order>
__global__ void __launch_bounds__(Shape::THREADS)
    conv_kernel(const float* x, const float* weight, const float* bias, float* y, ConvShape s) {
  float sum[Shape::TM][Shape::TN] = {};
  add_products<Shape, Order>(sum, x, weight, s, 0, Order::tiles(s));
  store_outputs<Shape>(y, bias, sum, s);
}

extern "C" void conv2d_nchw(const float* x, const float* weight, const float* bias, float* y,
                            int batch, int in_channels, int height, int width, int out_channels,
                            int kernel_rows, int kernel_cols, int stride, int padding) {
  const ConvShape s(batch, in_channels, height, width, out_channels, kernel_rows, kernel_cols,
                    stride, padding);
  const auto kernel = is_deep(s) ? conv_kernel<ByChannel> : conv_kernel<ByTap>;
  kernel<<<Shape::grid(s), Shape::THREADS>>>(x, weight, bias, y, s);
}
