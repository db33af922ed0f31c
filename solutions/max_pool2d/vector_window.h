#pragma once
// Rung 5's kernel: windows of K x K places, STRIDE apart, with PADDING, known to the compiler, on
// rows of whole float4.

#include "../common/aligned.h"
#include "../common/load4.h"
#include "column_window.h"

constexpr int VECTOR_THREADS = 256;
constexpr int VECTOR_ROWS = 2;  // rows of four outputs per thread

// Thread i makes group i of 2 x 4 outputs: groups are numbered across a plane, then from plane to
// plane.
template <int K, int STRIDE, int PADDING>
__global__ void vector_kernel(const float* input, float* output, Pool pool, unsigned groups,
                              unsigned groups_down, unsigned groups_across) {
  // The first input that the group needs is PADDING before a multiple of 4. Whole vectors are
  // loaded, from FRONT before it on.
  constexpr int FRONT = (PADDING + 3) / 4 * 4;
  constexpr int SPAN = (FRONT - PADDING + 3 * STRIDE + K + 3) / 4 * 4;
  const unsigned i = blockIdx.x * VECTOR_THREADS + threadIdx.x;
  if (i >= groups) return;
  const int out_row = i / groups_across % groups_down * VECTOR_ROWS;
  const int out_col = i % groups_across * 4;
  const size_t plane = i / groups_across / groups_down;
  const float* in = input + plane * pool.plane_size();
  float* out = output + plane * pool.out_plane_size() + out_col;
  const int first_col = out_col * STRIDE - FRONT;

  float best[VECTOR_ROWS][4];
#pragma unroll
  for (int r = 0; r < VECTOR_ROWS; ++r) {
#pragma unroll
    for (int c = 0; c < 4; ++c) best[r][c] = -INFINITY;
  }
#pragma unroll
  for (int a = 0; a < (VECTOR_ROWS - 1) * STRIDE + K; ++a) {
    const int row = out_row * STRIDE - PADDING + a;
    float x[SPAN];
#pragma unroll
    for (int v = 0; v < SPAN; v += 4) {
      const int col = first_col + v;
      const bool in_bounds = row >= 0 && row < pool.H && col >= 0 && col < pool.W;
      const Vec4 four = in_bounds ? load4(in + row * pool.W + col)
                                  : Vec4{{-INFINITY, -INFINITY, -INFINITY, -INFINITY}};
#pragma unroll
      for (int e = 0; e < 4; ++e) x[v + e] = four.at[e];
    }
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      float of_row = x[FRONT - PADDING + c * STRIDE];
#pragma unroll
      for (int b = 1; b < K; ++b) of_row = fmaxf(of_row, x[FRONT - PADDING + c * STRIDE + b]);
#pragma unroll
      for (int r = 0; r < VECTOR_ROWS; ++r) {
        if (r * STRIDE <= a && a < r * STRIDE + K) best[r][c] = fmaxf(best[r][c], of_row);
      }
    }
  }

#pragma unroll
  for (int r = 0; r < VECTOR_ROWS; ++r) {
    if (out_row + r >= pool.out_H) return;
    float* to = out + (out_row + r) * pool.out_W;
    if (pool.out_W % 4 == 0) {
      store4(to, {{best[r][0], best[r][1], best[r][2], best[r][3]}});
    } else {
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        if (out_col + c < pool.out_W) to[c] = best[r][c];
      }
    }
  }
}

// False if the pooling has another window.
template <int K, int STRIDE, int PADDING>
bool launch_vector(const float* input, float* output, size_t planes, const Pool& pool) {
  if (pool.kernel_size != K || pool.stride != STRIDE || pool.padding != PADDING) return false;
  const unsigned groups_down = kata::ceil_div(pool.out_H, VECTOR_ROWS);
  const unsigned groups_across = kata::ceil_div(pool.out_W, 4);
  const unsigned groups = static_cast<unsigned>(planes * groups_down * groups_across);
  const unsigned grid = (groups - 1) / VECTOR_THREADS + 1;
  vector_kernel<K, STRIDE, PADDING><<<grid, VECTOR_THREADS>>>(input, output, pool, groups,
                                                              groups_down, groups_across);
  return true;
}

// The fastest kernel for small windows; others take rung 2's.
inline void launch_small(const float* input, float* output, size_t planes, const Pool& pool) {
  if (pool.W % 4 == 0 && is_aligned16(input) && is_aligned16(output)) {
    if (launch_vector<2, 2, 0>(input, output, planes, pool)) return;
    if (launch_vector<3, 1, 1>(input, output, planes, pool)) return;
    if (launch_vector<3, 2, 0>(input, output, planes, pool)) return;
    if (launch_vector<3, 2, 1>(input, output, planes, pool)) return;
    if (launch_vector<5, 1, 2>(input, output, planes, pool)) return;
  }
  launch_columns(input, output, planes, pool);
}
