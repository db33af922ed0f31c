#pragma once
// The formulas of a row, and rung 2's kernel for dx: a block per row, which holds x and dy in
// registers.

#include <kata/kata.h>

#include "../common/aligned.h"
#include "../common/row_groups.h"
#include "../common/scratch.h"
#include "block_sums.h"

// What a row's elements have in common: mean, 1 / sd, mean(g) and mean(g xh).
struct RowTerms {
  float mean, inverse_sd, mean_g, mean_gxh;

  __device__ float xh(float x) const { return (x - mean) * inverse_sd; }
  __device__ float dx(float g, float xh) const { return (g - mean_g - xh * mean_gxh) * inverse_sd; }
};

// From the sums over the row of (x - mean)^2, g and g (x - mean).
__device__ inline RowTerms row_terms(float mean, const float (&sums)[3], int cols, float eps) {
  const float inverse_sd = rsqrtf(sums[0] / cols + eps);
  return {mean, inverse_sd, sums[1] / cols, sums[2] * inverse_sd / cols};
}

// Adds what row_terms takes of four columns; x is 0 outside the row, and its deviation is not.
template <int LANES, bool VECTOR>
__device__ void add_sums(float (&sums)[3], const Vec4& x, const Vec4& dy, const Vec4& gamma,
                         float mean, int first, int cols) {
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float deviation = x.at[k] - mean;
    const float g = gamma.at[k] * dy.at[k];
    if (in_row<LANES, VECTOR>(first, k, cols)) sums[0] += deviation * deviation;
    sums[1] += g;
    sums[2] += g * deviation;
  }
}

// dx of four columns; adds what the row gives to their dgamma and dbeta.
__device__ inline Vec4 row_gradient(const RowTerms& terms, const Vec4& x, const Vec4& dy,
                                    const Vec4& gamma, Vec4& of_gamma, Vec4& of_beta) {
  Vec4 dx;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float xh = terms.xh(x.at[k]);
    of_gamma.at[k] += dy.at[k] * xh;
    of_beta.at[k] += dy.at[k];
    dx.at[k] = terms.dx(gamma.at[k] * dy.at[k], xh);
  }
  return dx;
}

constexpr int ROW_THREADS = 256;
constexpr int ROW_GROUPS = 4;

// A row of more than 4096 columns takes slices. Each of the three passes begins with the slice
// with which the pass before it ended, which is still in registers.
template <bool VECTOR>
__global__ void __launch_bounds__(ROW_THREADS)
    row_kernel(const float* x, const float* gamma, const float* dy, float* dx, float2* statistics,
               int cols, float eps) {
  constexpr int LANES = ROW_THREADS;
  constexpr int WIDTH = 4 * LANES;  // columns of a group
  constexpr int SLICE = ROW_GROUPS * WIDTH;
  __shared__ float slots_of_mean[1][LANES / 32], slots_of_sums[3][LANES / 32];
  const size_t row = static_cast<size_t>(blockIdx.x) * cols;
  const int last = (cols - 1) / SLICE * SLICE;

  Vec4 of_x[ROW_GROUPS], of_dy[ROW_GROUPS];
  const auto load = [&](Vec4(&held)[ROW_GROUPS], const float* from, int slice) {
#pragma unroll
    for (int i = 0; i < ROW_GROUPS; ++i) {
      held[i] = load_group<LANES, VECTOR>(from + row, slice + i * WIDTH, cols);
    }
  };
  float mean[1] = {};
  for (int slice = 0; slice < cols; slice += SLICE) {
    load(of_x, x, slice);
    if (slice == last) load(of_dy, dy, slice);
#pragma unroll
    for (int i = 0; i < ROW_GROUPS; ++i) {
#pragma unroll
      for (int k = 0; k < 4; ++k) mean[0] += of_x[i].at[k];  // 0 outside the row
    }
  }
  block_sums(mean, slots_of_mean);
  mean[0] /= cols;

  float sums[3] = {};
  for (int slice = last; slice >= 0; slice -= SLICE) {
    if (slice != last) load(of_x, x, slice), load(of_dy, dy, slice);
#pragma unroll
    for (int i = 0; i < ROW_GROUPS; ++i) {
      const int first = slice + i * WIDTH;
      const Vec4 scale = load_group<LANES, VECTOR>(gamma, first, cols);
      add_sums<LANES, VECTOR>(sums, of_x[i], of_dy[i], scale, mean[0], first, cols);
    }
  }
  block_sums(sums, slots_of_sums);
  const RowTerms terms = row_terms(mean[0], sums, cols, eps);
  if (threadIdx.x == 0) statistics[blockIdx.x] = make_float2(terms.mean, terms.inverse_sd);

  for (int slice = 0; slice < cols; slice += SLICE) {
    if (slice != 0) load(of_x, x, slice), load(of_dy, dy, slice);
#pragma unroll
    for (int i = 0; i < ROW_GROUPS; ++i) {
      const int first = slice + i * WIDTH;
      Vec4 result = load_group<LANES, VECTOR>(gamma, first, cols);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        result.at[k] = terms.dx(result.at[k] * of_dy[i].at[k], terms.xh(of_x[i].at[k]));
      }
      store_group<LANES, VECTOR>(dx + row, first, cols, result);
    }
  }
}

inline bool rows_are_aligned(const float* x, const float* gamma, const float* dy, const float* dx,
                             int cols) {
  return cols % 4 == 0 && is_aligned16(x) && is_aligned16(gamma) && is_aligned16(dy) &&
         is_aligned16(dx);
}

// Queues the kernel for dx. Returns {mean, 1 / sd} of each row, in device memory.
inline const float2* launch_rows(const float* x, const float* gamma, const float* dy, float* dx,
                                 int rows, int cols, float eps) {
  static Scratch<float2> scratch;
  float2* statistics = scratch.get(rows);
  const bool vector = rows_are_aligned(x, gamma, dy, dx, cols);
  const auto kernel = vector ? row_kernel<true> : row_kernel<false>;
  kernel<<<rows, ROW_THREADS>>>(x, gamma, dy, dx, statistics, cols, eps);
  return statistics;
}
