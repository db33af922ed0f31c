// The usual windows at compile time: all loads of a window are issued at once.
//
// The rung to reach in 30 minutes. With kernel size and stride as template parameters, both loops
// unroll and the loads do not wait for each other. A window inside the plane needs no test, and
// only the rim takes the clipped loops. 2 x 2, 3 x 3 and 5 x 5 with stride 1 or 2 are compiled; any
// other window falls back to rung 2's kernel.
//
// Prediction: nine independent loads per thread instead of one after the other, and 50 instructions
// per output. 21 us at 4x64x256x256 with 3 x 3, stride 2, of which 18.2 us are memory time. Missed:
// 16 waves of warps take 2 us each, about two trips to memory.
// Measured: 33.2 us at 4x64x256x256x3x2x1, 66 % of the limit (H200, 2026-11-29)
#include "clipped_window.h"

constexpr int ROWS = 8, COLS = 32;

template <int K, int STRIDE>
__global__ void unrolled_kernel(const float* input, float* output, Pool pool,
                                Tiles<ROWS, COLS> tiles) {
  const int out_row = tiles.first_row() + threadIdx.y;
  const int out_col = tiles.first_col() + threadIdx.x;
  if (out_row >= pool.out_H || out_col >= pool.out_W) return;
  const float* in = input + tiles.plane() * pool.plane_size();
  float* out = output + tiles.plane() * pool.out_plane_size();
  const int row = out_row * STRIDE - pool.padding;
  const int col = out_col * STRIDE - pool.padding;
  float best;
  if (row >= 0 && col >= 0 && row + K <= pool.H && col + K <= pool.W) {
    const float* first = in + row * pool.W + col;
    best = *first;
#pragma unroll
    for (int a = 0; a < K; ++a) {
#pragma unroll
      for (int b = 0; b < K; ++b) best = fmaxf(best, first[a * pool.W + b]);
    }
  } else {
    best = clipped_max(in, pool, row, col);
  }
  out[out_row * pool.out_W + out_col] = best;
}

// False if the pooling has another window.
template <int K, int STRIDE>
bool launch_unrolled(const float* input, float* output, size_t planes, const Pool& pool) {
  if (pool.kernel_size != K || pool.stride != STRIDE) return false;
  const Tiles<ROWS, COLS> tiles(pool);
  unrolled_kernel<K, STRIDE><<<tiles.grid(planes), dim3(COLS, ROWS)>>>(input, output, pool, tiles);
  return true;
}

extern "C" void max_pool2d(const float* input, float* output, int N, int C, int H, int W,
                           int kernel_size, int stride, int padding) {
  const Pool pool = pool_of(H, W, kernel_size, stride, padding);
  const size_t planes = static_cast<size_t>(N) * C;
  if (launch_unrolled<2, 1>(input, output, planes, pool)) return;
  if (launch_unrolled<2, 2>(input, output, planes, pool)) return;
  if (launch_unrolled<3, 1>(input, output, planes, pool)) return;
  if (launch_unrolled<3, 2>(input, output, planes, pool)) return;
  if (launch_unrolled<5, 1>(input, output, planes, pool)) return;
  if (launch_unrolled<5, 2>(input, output, planes, pool)) return;
  launch_clipped(input, output, planes, pool);
}
