// Two tiles in shared memory: the loads of the next one run while this one is multiplied.
//
// In rung 5 all warps of a block wait for the loads of a tile, then all multiply. Here the values
// of the next tile are on their way to registers during the 512 FMAs of this one, and go to the
// other half of shared memory afterwards. One barrier per tile instead of two.
//
// Prediction: 80 % of the issue slots multiply, as in rung 5, and no load is waited for: 143 us.
// With 784 tiles in 1.5 waves of 528: 190 us. What is left is the tail, and Winograd's 2.25 times
// fewer products. Missed: Nsight Compute counts 193 M instructions of warps, of which 60 % are
// FMAs, and 80 % of the issue slots are used.
// Measured: 240.8 us at 32x64x56x56x64x3x3x1x1, 47 % of the limit (H200, 2026-11-29)
#include "product_tile.h"
#include "tap_counter.h"

__global__ void __launch_bounds__(THREADS)
    conv_kernel(const float* x, const float* weight, const float* bias, float* y, ConvShape s) {
  __shared__ Tiles tiles[2];
  const int tid = threadIdx.x;
  const int col0 = blockIdx.x * BN, row0 = blockIdx.y * BM;
  const Window window(x, s, min(col0 + tid, s.pixels() - 1));
  TapCounter tap;
  float weights[LOADS_A], values[BK];
  const auto load = [&](int k0) {
    load_weights(weights, weight, s, row0, k0);
    load_window(values, window, s, tap);
  };
  const auto store = [&](Tiles& to) {
    store_weights(to, weights);
#pragma unroll
    for (int k = 0; k < BK; ++k) to.b(k, tid) = values[k];
  };

  float sum[TM][TN] = {};
  const int count = kata::ceil_div(s.taps(), BK);
  load(0);
  store(tiles[0]);
  for (int t = 0; t < count; ++t) {
    // Past this barrier tile t is complete, and no thread reads tile t - 1 any more.
    __syncthreads();
    if (t + 1 < count) load((t + 1) * BK);
    if (row0 + first_row() < s.out_channels) multiply(sum, tiles[t % 2]);
    if (t + 1 < count) store(tiles[(t + 1) % 2]);
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
