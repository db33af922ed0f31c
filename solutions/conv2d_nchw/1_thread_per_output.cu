// One thread per output: a loop over channels, rows and columns of the kernel.
//
// Threads are numbered along the rows of the output, so a warp reads neighbouring inputs and all of
// its lanes read the same weight. Places outside the image are skipped: they hold 0.
//
// Prediction: two loads, two comparisons and address arithmetic, some 12 instructions, per FMA. For
// 32 x 64 x 56 x 56 with 64 kernels of 3 x 3, 3.7 G products, that is a tenth of the arithmetic
// peak, whose limit is 114 us: 1.2 ms. Missed: the time is that of 22 instructions per FMA.
// Measured: 2809.3 us at 32x64x56x56x64x3x3x1x1, 4.0 % of the limit (H200, 2026-11-29)
#include "conv_shape.h"

constexpr int THREADS = 256;

__global__ void conv_kernel(const float* x, const float* weight, const float* bias, float* y,
                            ConvShape s) {
  const long long index = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  if (index >= static_cast<long long>(s.out_channels) * s.pixels()) return;
  const int place = index % s.plane();
  const int plane = index / s.plane();
  const int o = plane % s.out_channels, b = plane / s.out_channels;
  const int row = place / s.out_width * s.stride - s.padding;
  const int col = place % s.out_width * s.stride - s.padding;

  float sum = bias[o];
  for (int c = 0; c < s.in_channels; ++c) {
    const float* in = x + static_cast<size_t>(b * s.in_channels + c) * s.height * s.width;
    const float* taps =
        weight + static_cast<size_t>(o * s.in_channels + c) * s.kernel_rows * s.kernel_cols;
    for (int i = 0; i < s.kernel_rows; ++i) {
      if (row + i < 0 || row + i >= s.height) continue;
      for (int j = 0; j < s.kernel_cols; ++j) {
        if (col + j < 0 || col + j >= s.width) continue;
        sum += in[(row + i) * s.width + col + j] * taps[i * s.kernel_cols + j];
      }
    }
  }
  y[index] = sum;
}

extern "C" void conv2d_nchw(const float* x, const float* weight, const float* bias, float* y,
                            int batch, int in_channels, int height, int width, int out_channels,
                            int kernel_rows, int kernel_cols, int stride, int padding) {
  const ConvShape s(batch, in_channels, height, width, out_channels, kernel_rows, kernel_cols,
                    stride, padding);
  const long long outputs = static_cast<long long>(out_channels) * s.pixels();
  const unsigned grid = (outputs - 1) / THREADS + 1;
  conv_kernel<<<grid, THREADS>>>(x, weight, bias, y, s);
}
