// One thread per output, numbered across all planes; each of the taps is tested against the edges.
//
// Neighbouring threads have neighbouring windows, so a warp reads a few contiguous pieces of each
// row. A place outside the plane is skipped: it counts as -infinity and never wins. The maximum
// starts at -infinity, because all inputs may be negative.
//
// Prediction: 4x64x256x256 with 3 x 3, stride 2 moves 83.9 MB: 18.2 us. Two 64-bit divisions take
// about 70 instructions, since small numbers take a short path, and nine taps about 10 each. With
// the rest that is 190 for each of 4.2 M outputs: 27 us at 29.6 T/s. Missed: a tap is loaded after
// its test, nine trips to memory or L1 one after the other.
// Measured: 43.2 us at 4x64x256x256x3x2x1, 51 % of the limit (H200, 2026-11-29)
#include "pool.h"

constexpr int THREADS = 256;

__global__ void max_pool2d_kernel(const float* input, float* output, size_t outputs, Pool pool) {
  const size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
  if (i >= outputs) return;
  const int out_col = i % pool.out_W;
  const int out_row = i / pool.out_W % pool.out_H;
  const size_t plane = i / pool.out_W / pool.out_H;
  const float* in = input + plane * pool.plane_size();
  float best = -INFINITY;
  for (int a = 0; a < pool.kernel_size; ++a) {
    for (int b = 0; b < pool.kernel_size; ++b) {
      const int row = out_row * pool.stride - pool.padding + a;
      const int col = out_col * pool.stride - pool.padding + b;
      if (row >= 0 && row < pool.H && col >= 0 && col < pool.W) {
        best = fmaxf(best, in[row * pool.W + col]);
      }
    }
  }
  output[i] = best;
}

extern "C" void max_pool2d(const float* input, float* output, int N, int C, int H, int W,
                           int kernel_size, int stride, int padding) {
  const Pool pool = pool_of(H, W, kernel_size, stride, padding);
  const size_t outputs = static_cast<size_t>(N) * C * pool.out_plane_size();
  const unsigned grid = (outputs - 1) / THREADS + 1;
  max_pool2d_kernel<<<grid, THREADS>>>(input, output, outputs, pool);
}
