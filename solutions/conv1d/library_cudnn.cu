// cuDNN: a convolution of one image with one row and one channel, in float without TF32.
//
// Deep learning's convolution does not flip the filter: CUDNN_CROSS_CORRELATION. The algorithm is
// the first of cuDNN's own ranking whose workspace fits 1 GiB, asked for once per shape.
#include <kata/kata.h>

#include "../common/cudnn_filter.h"

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  static CudnnFilter filter;
  filter.run(x, w, y, {1, n, 1, k});
}
