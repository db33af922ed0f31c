// Implicit product: the matrix of windows is never written; its tiles are gathered from the image.
//
// A thread loads the column of one pixel. The number of a tap gives channel, row and column of the
// kernel, by two divisions, and the pixel gives the place in the image. Windows overlap, and
// neighbouring threads read neighbouring inputs, so L1 and L2 serve most of the nine reads.
//
// Prediction: no traffic but 51 MB. Per tap some 45 instructions for the divisions, the bounds and
// the address, beside 64 FMAs and 4 loads of operands: 57 % of the issue slots. 1.5 waves: 270 us.
// Missed by 25 %.
// Measured: 338.0 us at 32x64x56x56x64x3x3x1x1, 33 % of the limit (H200, 2026-11-29)
#include "product_tile.h"

__global__ void __launch_bounds__(THREADS)
    conv_kernel(const float* x, const float* weight, const float* bias, float* y, ConvShape s) {
  __shared__ Tiles tiles;
  const int tid = threadIdx.x;
  const int col0 = blockIdx.x * BN, row0 = blockIdx.y * BM;
  const Window window(x, s, min(col0 + tid, s.pixels() - 1));
  float sum[TM][TN] = {};
  for (int k0 = 0; k0 < s.taps(); k0 += BK) {
    float weights[LOADS_A];
    load_weights(weights, weight, s, row0, k0);
    __syncthreads();  // all threads are done with the last tiles
    store_weights(tiles, weights);
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      const int tap = min(k0 + k, s.taps() - 1);  // past the last, the weight is 0
      const int row = tap / s.kernel_cols;        // of all channels' kernels
      const int c = row / s.kernel_rows;
      tiles.b(k, tid) =
          window.load(s, c, row - c * s.kernel_rows, tap - row * s.kernel_cols);
    }
    __syncthreads();
    if (row0 + first_row() < s.out_channels) multiply(sum, tiles);
  }
  store_outputs(y, bias, sum, s, row0, col0, s.pixels());
}

extern "C" void conv2d_nchw(const float* x, const float* weight, const float* bias, float* y,
                            int batch, int in_channels, int height, int width, int out_channels,
                            int kernel_rows, int kernel_cols, int stride, int padding) {
  const ConvShape s(batch, in_channels, height, width, out_channels, kernel_rows, kernel_cols,
                    stride, padding);
  conv_kernel<<<tile_grid(s, s.pixels()), THREADS>>>(x, weight, bias, y, s);
}
