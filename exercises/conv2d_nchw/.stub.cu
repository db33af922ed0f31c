// conv2d_nchw: a convolution layer. y[b][o] = bias[o] + the sum over the channels c of x[b][c],
// surrounded by `padding` zeros, correlated with weight[o][c] at every `stride`-th place.
//
// x [batch, in_channels, height, width], weight [out_channels, in_channels, kernel_rows,
// kernel_cols], bias [out_channels], y [batch, out_channels, out_height, out_width] with
// out_height = (height + 2 padding - kernel_rows) / stride + 1, rounded down, and so the width.
// y arrives filled with NaN.
// Given: one thread per output, 256 threads per block. You may change the launch, add kernels and
// allocate scratch memory.
// Check it: harness/kata check conv2d_nchw   or   ctest -R conv2d_nchw
#include <kata/kata.h>

__global__ void conv2d_nchw_kernel(const float* x, const float* weight, const float* bias, float* y,
                                   int batch, int in_channels, int height, int width,
                                   int out_channels, int kernel_rows, int kernel_cols, int stride,
                                   int padding, int out_height, int out_width) {
  // your code
}

extern "C" void conv2d_nchw(const float* x, const float* weight, const float* bias, float* y,
                            int batch, int in_channels, int height, int width, int out_channels,
                            int kernel_rows, int kernel_cols, int stride, int padding) {
  const int threads = 256;
  const int out_height = (height + 2 * padding - kernel_rows) / stride + 1;
  const int out_width = (width + 2 * padding - kernel_cols) / stride + 1;
  const int outputs = batch * out_channels * out_height * out_width;
  conv2d_nchw_kernel<<<kata::ceil_div(outputs, threads), threads>>>(
      x, weight, bias, y, batch, in_channels, height, width, out_channels, kernel_rows, kernel_cols,
      stride, padding, out_height, out_width);
}
