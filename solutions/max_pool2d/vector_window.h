#pragma once
// Rung 5's kernel: windows of K x K places, STRIDE apart, with PADDING, known to the compiler, on
// rows of whole float4.

#include "../common/aligned.h"
#include "../common/load4.h"
#include "column_window.h"

constexpr int VECTOR_THREADS = 256;

// Thread i makes group i of four outputs of a row. Groups are numbered through all planes.
template <int K, int STRIDE, int PADDING>
__global__ void vector_kernel(const float* input, float* output, Pool pool, unsigned groups,
                              unsigned groups_across) {
  // The first input that the group needs is PADDING before a multiple of 4. Whole vectors are
  // loaded, from FRONT before it on.
  constexpr int FRONT = (PADDING + 3) / 4 * 4;
  constexpr int SPAN = (FRONT - PADDING + 3 * STRIDE + K + 3) / 4 * 4;
  const unsigned i = blockIdx.x * VECTOR_THREADS + threadIdx.x;
  if (i >= groups) return;
  const int out_col = i % groups_across * 4;
  const int out_row = i / groups_across % pool.out_H;
  const size_t plane = i / groups_across / pool.out_H;
  const float* in = input + plane * pool.plane_size();
  float* out = output + plane * pool.out_plane_size() + out_row * pool.out_W + out_col;
  const int first_col = out_col * STRIDE - FRONT;

  float best[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
#pragma unroll
  for (int a = 0; a < K; ++a) {
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
      best[c] = fmaxf(best[c], of_row);
    }
  }

  if (pool.out_W % 4 == 0) {
    store4(out, {{best[0], best[1], best[2], best[3]}});
  } else {
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      if (out_col + c < pool.out_W) out[c] = best[c];
    }
  }
}

// False if the pooling has another window.
template <int K, int STRIDE, int PADDING>
bool launch_vector(const float* input, float* output, size_t planes, const Pool& pool) {
  if (pool.kernel_size != K || pool.stride != STRIDE || pool.padding != PADDING) return false;
  const unsigned groups_across = kata::ceil_div(pool.out_W, 4);
  const unsigned groups = static_cast<unsigned>(planes * pool.out_H * groups_across);
  const unsigned grid = (groups - 1) / VECTOR_THREADS + 1;
  vector_kernel<K, STRIDE, PADDING>
      <<<grid, VECTOR_THREADS>>>(input, output, pool, groups, groups_across);
  return true;
}

// False if rows are not whole float4, or the window is another.
inline bool launch_vectors(const float* input, float* output, size_t planes, const Pool& pool) {
  if (pool.W % 4 != 0 || !is_aligned16(input) || !is_aligned16(output)) return false;
  return launch_vector<2, 2, 0>(input, output, planes, pool) ||
         launch_vector<3, 1, 1>(input, output, planes, pool) ||
         launch_vector<3, 2, 0>(input, output, planes, pool) ||
         launch_vector<3, 2, 1>(input, output, planes, pool) ||
         launch_vector<5, 1, 2>(input, output, planes, pool);
}

// The fastest kernel for small windows; others take rung 2's.
inline void launch_small(const float* input, float* output, size_t planes, const Pool& pool) {
  if (launch_vectors(input, output, planes, pool)) return;
  launch_columns(input, output, planes, pool);
}
