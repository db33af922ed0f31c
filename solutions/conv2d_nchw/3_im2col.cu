// im2col: write the window of each output pixel as a column of a matrix, then multiply matrices.
//
// The layer becomes a product, [out_channels, taps] times [taps, pixels], for which there are fast
// kernels: 8 x 8 outputs per thread from tiles in shared memory (product_tile.h). Each input is
// written once per tap that reads it, nine times for 3 x 3. Pixels are taken in parts, so that the
// matrix has at most 256 MiB. Columns past a part's last pixel are not written, and not stored.
//
// Prediction: 231 MB written and read again, 100 us at 4.3 TB/s. The product has 64 FMAs to 4 loads
// of operands, 80 % of the issue slots, but 784 tiles are 1.5 waves of 528: 190 us. 290 us in all.
// Missed by a factor of 2.3: rung 4, which writes no matrix, takes half as long.
// Measured: 671.8 us at 32x64x56x56x64x3x3x1x1, 17 % of the limit (H200, 2026-11-29)
#include "../common/scratch.h"
#include "product_tile.h"

constexpr size_t MAX_FLOATS = 1 << 26;  // of the matrix

// columns[k][p]: tap k of pixel first + p. A thread per pixel and tap.
__global__ void im2col_kernel(const float* x, float* columns, ConvShape s, int first, int count,
                              int pitch) {
  const int p = blockIdx.x * THREADS + threadIdx.x;
  if (p >= count) return;
  const Window window(x, s, first + p);
  for (int k = blockIdx.y; k < s.taps(); k += gridDim.y) {
    const int j = k % s.kernel_cols, i = k / s.kernel_cols % s.kernel_rows;
    const int c = k / (s.kernel_cols * s.kernel_rows);
    columns[static_cast<size_t>(k) * pitch + p] = window.load(s, c, i, j);
  }
}

__global__ void __launch_bounds__(THREADS)
    product_kernel(const float* columns, const float* weight, const float* bias, float* y,
                   ConvShape s, int first, int count, int pitch) {
  __shared__ Tiles tiles;
  const int tid = threadIdx.x;
  const int col0 = blockIdx.x * BN, row0 = blockIdx.y * BM;
  const bool has_col = col0 + tid < count;
  float sum[TM][TN] = {};
  for (int k0 = 0; k0 < s.taps(); k0 += BK) {
    float weights[LOADS_A];
    load_weights(weights, weight, s, row0, k0);
    __syncthreads();  // all threads are done with the last tiles
    store_weights(tiles, weights);
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      const bool in_bounds = has_col && k0 + k < s.taps();
      tiles.b(k, tid) =
          in_bounds ? columns[static_cast<size_t>(k0 + k) * pitch + col0 + tid] : 0.0f;
    }
    __syncthreads();
    if (row0 + first_row() < s.out_channels) multiply(sum, tiles);
  }
  store_outputs(y, bias, sum, s, row0, first + col0, first + count);
}

extern "C" void conv2d_nchw(const float* x, const float* weight, const float* bias, float* y,
                            int batch, int in_channels, int height, int width, int out_channels,
                            int kernel_rows, int kernel_cols, int stride, int padding) {
  static Scratch<float> scratch;
  const ConvShape s(batch, in_channels, height, width, out_channels, kernel_rows, kernel_cols,
                    stride, padding);
  const int most = max(1, static_cast<int>(MAX_FLOATS / s.taps()));
  const int pitch = min(most, s.pixels());
  float* columns = scratch.get(static_cast<size_t>(pitch) * s.taps());
  for (int first = 0; first < s.pixels(); first += pitch) {
    const int count = min(pitch, s.pixels() - first);
    const dim3 grid(kata::ceil_div(count, THREADS), min(s.taps(), 65535));
    im2col_kernel<<<grid, THREADS>>>(x, columns, s, first, count, pitch);
    product_kernel<<<tile_grid(s, count), THREADS>>>(columns, weight, bias, y, s, first, count,
                                                     pitch);
  }
}
