// cuDNN: a convolution of one image with one channel, in float without TF32.
//
// Deep learning's convolution does not flip the filter: CUDNN_CROSS_CORRELATION. The algorithm is
// the first of cuDNN's own ranking whose workspace fits 1 GiB, asked for once per shape.
#include <kata/kata.h>

#include "../common/cudnn_filter.h"

extern "C" void conv2d(const float* x, const float* w, float* y, int rows, int cols,
                       int kernel_rows, int kernel_cols) {
  static CudnnFilter filter;
  filter.run(x, w, y, {rows, cols, kernel_rows, kernel_cols});
}
