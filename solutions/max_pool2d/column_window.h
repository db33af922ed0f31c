#pragma once
// Rung 4's kernel: windows of K x K places, STRIDE apart, known to the compiler.

#include "clipped_window.h"

constexpr int COLUMN = 4;  // outputs per thread, one below the other
constexpr int COLUMN_THREAD_ROWS = 8, COLUMN_COLS = 32;
constexpr int COLUMN_ROWS = COLUMN_THREAD_ROWS * COLUMN;

// LENGTH outputs of one plane, the first of them at out_row, one below the other.
template <int K, int STRIDE, int LENGTH>
__device__ void pool_column(const float* in, float* out, const Pool& pool, int out_row,
                            int out_col) {
  const int first_row = out_row * STRIDE - pool.padding;
  const int first_col = out_col * STRIDE - pool.padding;
  float best[LENGTH];
#pragma unroll
  for (int r = 0; r < LENGTH; ++r) best[r] = -INFINITY;
#pragma unroll
  for (int a = 0; a < (LENGTH - 1) * STRIDE + K; ++a) {
    const int row = first_row + a;
    float of_row = -INFINITY;
#pragma unroll
    for (int b = 0; b < K; ++b) {
      const int col = first_col + b;
      const bool in_bounds = row >= 0 && row < pool.H && col >= 0 && col < pool.W;
      of_row = fmaxf(of_row, in_bounds ? in[row * pool.W + col] : -INFINITY);
    }
#pragma unroll
    for (int r = 0; r < LENGTH; ++r) {
      if (r * STRIDE <= a && a < r * STRIDE + K) best[r] = fmaxf(best[r], of_row);
    }
  }

#pragma unroll
  for (int r = 0; r < LENGTH; ++r) {
    if (out_row + r < pool.out_H) out[(out_row + r) * pool.out_W + out_col] = best[r];
  }
}

template <int K, int STRIDE>
__global__ void column_kernel(const float* input, float* output, Pool pool,
                              Tiles<COLUMN_ROWS, COLUMN_COLS> tiles) {
  const int out_row = tiles.first_row() + threadIdx.y * COLUMN;
  const int out_col = tiles.first_col() + threadIdx.x;
  if (out_row >= pool.out_H || out_col >= pool.out_W) return;
  pool_column<K, STRIDE, COLUMN>(input + tiles.plane() * pool.plane_size(),
                                 output + tiles.plane() * pool.out_plane_size(), pool, out_row,
                                 out_col);
}

// False if the pooling has another window.
template <int K, int STRIDE>
bool launch_column(const float* input, float* output, size_t planes, const Pool& pool) {
  if (pool.kernel_size != K || pool.stride != STRIDE) return false;
  const Tiles<COLUMN_ROWS, COLUMN_COLS> tiles(pool);
  const dim3 block(COLUMN_COLS, COLUMN_THREAD_ROWS);
  column_kernel<K, STRIDE><<<tiles.grid(planes), block>>>(input, output, pool, tiles);
  return true;
}

inline void launch_columns(const float* input, float* output, size_t planes, const Pool& pool) {
  if (launch_column<2, 1>(input, output, planes, pool)) return;
  if (launch_column<2, 2>(input, output, planes, pool)) return;
  if (launch_column<3, 1>(input, output, planes, pool)) return;
  if (launch_column<3, 2>(input, output, planes, pool)) return;
  if (launch_column<5, 1>(input, output, planes, pool)) return;
  if (launch_column<5, 2>(input, output, planes, pool)) return;
  launch_clipped(input, output, planes, pool);
}
