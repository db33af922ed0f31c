#pragma once
// Rung 7's kernel: 3 x 3, 5 x 5 or 7 x 7 taps, known to the compiler, on rows of any length.

#include <cuda_pipeline.h>
#include <kata/kata.h>

#include "../common/grid_size.h"
#include "../common/sliding_window.h"
#include "row_segment.h"
#include "small_kernels.h"
#include "tile2d.h"

constexpr int STAGED_WARPS = 4, STAGED_ROWS = 8;  // 4 x 8 outputs per thread
constexpr int STAGED_TILE = STAGED_WARPS * STAGED_ROWS;
constexpr int STAGED_BLOCKS = 4;   // per SM
constexpr int STAGED_PITCH = 136;  // 128 outputs and up to 6 more inputs, in float4

// Blocks that stay and stride through the tiles. VEC: floats per copy, 4 if cols % 4 == 0, else 1.
template <int K, int VEC>
__global__ void __launch_bounds__(32 * STAGED_WARPS, STAGED_BLOCKS)
    staged_kernel(const float* x, const float* w, float* y, int rows, int cols, int tiles_across,
                  int tiles) {
  constexpr int HEIGHT = STAGED_TILE + K - 1;
  __shared__ __align__(16) float buffers[2][HEIGHT][STAGED_PITCH];
  __shared__ float4 scratch[STAGED_WARPS][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const auto start_copy = [&](int tile, float(*to)[STAGED_PITCH]) {
    const int row0 = tile / tiles_across * STAGED_TILE, col0 = tile % tiles_across * 128;
    if (tile < tiles && row0 + HEIGHT <= rows && col0 + STAGED_PITCH <= cols) {
      for (int r = warp; r < HEIGHT; r += STAGED_WARPS) {
        const float* from = x + static_cast<size_t>(row0 + r) * cols + col0;
#pragma unroll
        for (int c = VEC * lane; c < STAGED_PITCH; c += 32 * VEC) {
          __pipeline_memcpy_async(&to[r][c], from + c, VEC * sizeof(float));
        }
      }
    } else if (tile < tiles) {  // bounds checked for each copy
      const auto index = [](int r, int c) { return r * STAGED_PITCH + c; };
      load_tile<VEC>(to[0], index, x, rows, cols, {row0, col0, HEIGHT, STAGED_PITCH}, threadIdx.x,
                     32 * STAGED_WARPS);
    }
    __pipeline_commit();
  };
  float taps[K * K];
#pragma unroll
  for (int t = 0; t < K * K; ++t) taps[t] = w[t];
  start_copy(blockIdx.x, buffers[0]);
  start_copy(blockIdx.x + gridDim.x, buffers[1]);

  for (int tile = blockIdx.x, slot = 0; tile < tiles; tile += gridDim.x, slot ^= 1) {
    __pipeline_wait_prior(1);
    __syncthreads();
    float acc[STAGED_ROWS][4] = {};
#pragma unroll
    for (int i = 0; i < STAGED_ROWS + K - 1; ++i) {
      float in[(4 + K - 1 + 3) / 4 * 4];
#pragma unroll
      for (int c = 0; c < (4 + K - 1 + 3) / 4 * 4; c += 4) {
        const float* from = &buffers[slot][warp * STAGED_ROWS + i][4 * lane + c];
        const float4 v = *reinterpret_cast<const float4*>(from);
        in[c] = v.x, in[c + 1] = v.y, in[c + 2] = v.z, in[c + 3] = v.w;
      }
#pragma unroll
      for (int r = 0; r < STAGED_ROWS; ++r) {
        if (r <= i && i < r + K) apply<K>(acc[r], in, taps + (i - r) * K);
      }
    }
    __syncthreads();  // all threads are done with the inputs
    start_copy(tile + 2 * gridDim.x, buffers[slot]);

    const int row0 = tile / tiles_across * STAGED_TILE + warp * STAGED_ROWS;
    const int out_cols = cols - K + 1, col0 = tile % tiles_across * 128;
#pragma unroll
    for (int r = 0; r < STAGED_ROWS; ++r) {
      if (row0 + r + K > rows) break;  // the whole warp
      float* row = y + static_cast<size_t>(row0 + r) * out_cols;
      store_segment(acc[r], scratch[warp], row, col0, out_cols);
    }
  }
}

template <int K, int VEC>
void launch_staged(const float* x, const float* w, float* y, int rows, int cols) {
  const int tiles_across = kata::ceil_div(cols - K + 1, 128);
  const int tiles = kata::ceil_div(rows - K + 1, STAGED_TILE) * tiles_across;
  staged_kernel<K, VEC><<<one_wave(tiles, STAGED_BLOCKS), 32 * STAGED_WARPS>>>(x, w, y, rows, cols,
                                                                               tiles_across, tiles);
}

// The faster of rungs 6 and 7 for a kernel of 3 x 3, 5 x 5 or 7 x 7; other sizes: false.
inline bool launch_square(const float* x, const float* w, float* y, int rows, int cols,
                          int kernel_rows, int kernel_cols) {
  const int k = kernel_rows == kernel_cols ? kernel_rows : 0;
  const bool aligned = cols % 4 == 0;
  if (k == 3 && aligned) launch_small<3>(x, w, y, rows, cols);
  if (k == 5 && aligned) launch_small<5>(x, w, y, rows, cols);
  if (k == 7 && aligned) launch_staged<7, 4>(x, w, y, rows, cols);
  if (k == 3 && !aligned) launch_staged<3, 1>(x, w, y, rows, cols);
  if (k == 5 && !aligned) launch_staged<5, 1>(x, w, y, rows, cols);
  if (k == 7 && !aligned) launch_staged<7, 1>(x, w, y, rows, cols);
  return k == 3 || k == 5 || k == 7;
}
