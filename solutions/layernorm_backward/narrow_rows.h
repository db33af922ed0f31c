#pragma once
// Rung 6's kernel for rows of up to 512 columns: a warp per row.

#include "../common/grid_size.h"
#include "column_sums.h"
#include "row_gradient.h"

// A group takes 20 registers: x, dy, gamma and two sums, four columns each.
constexpr int narrow_blocks_per_sm(int groups) {
  return groups <= 2 ? 3 : 2;
}

// A persistent block whose warps take rows of their own. Lane l has the same columns in all rows.
// At the end, the sums of the block's warps meet in shared memory.
template <int GROUPS, bool VECTOR>
__global__ void __launch_bounds__(ROW_THREADS, narrow_blocks_per_sm(GROUPS))
    narrow_rows_kernel(const float* x, const float* gamma, const float* dy, float* dx,
                       float* partials, int rows, int cols, float eps) {
  constexpr int WARPS = ROW_THREADS / 32;
  constexpr int WIDTH = 4 * 32;  // columns of a group
  __shared__ float sums_of_warps[WARPS][GROUPS][4][32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  Vec4 scale[GROUPS], of_gamma[GROUPS] = {}, of_beta[GROUPS] = {};
#pragma unroll
  for (int i = 0; i < GROUPS; ++i) scale[i] = load_group<32, VECTOR>(gamma, i * WIDTH, cols);

  for (int row = blockIdx.x * WARPS + warp; row < rows; row += gridDim.x * WARPS) {
    const size_t first = static_cast<size_t>(row) * cols;
    Vec4 of_x[GROUPS], of_dy[GROUPS];
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      of_x[i] = load_group<32, VECTOR>(x + first, i * WIDTH, cols);
      of_dy[i] = load_group<32, VECTOR>(dy + first, i * WIDTH, cols);
    }
    float mean[1] = {};
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
#pragma unroll
      for (int k = 0; k < 4; ++k) mean[0] += of_x[i].at[k];  // 0 outside the row
    }
    warp_sums(mean);
    mean[0] /= cols;
    float sums[3] = {};
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      add_sums<32, VECTOR>(sums, of_x[i], of_dy[i], scale[i], mean[0], i * WIDTH, cols);
    }
    warp_sums(sums);
    const RowTerms terms = row_terms(mean[0], sums, cols, eps);
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      const Vec4 result =
          row_gradient(terms, of_x[i], of_dy[i], scale[i], of_gamma[i], of_beta[i]);
      store_group<32, VECTOR>(dx + first, i * WIDTH, cols, result);
    }
  }

  // Warp w writes the columns of group w, if there is one.
  float* partial = partials + static_cast<size_t>(blockIdx.x) * 2 * cols;
  const auto add_warps = [&](const Vec4(&mine)[GROUPS], float* to) {
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
#pragma unroll
      for (int k = 0; k < 4; ++k) sums_of_warps[warp][i][k][lane] = mine[i].at[k];
    }
    __syncthreads();
    if (warp < GROUPS) {
      Vec4 sum = {};
      for (int w = 0; w < WARPS; ++w) {
#pragma unroll
        for (int k = 0; k < 4; ++k) sum.at[k] += sums_of_warps[w][warp][k][lane];
      }
      store_group<32, VECTOR>(to, warp * WIDTH, cols, sum);
    }
    __syncthreads();
  };
  add_warps(of_gamma, partial);
  add_warps(of_beta, partial + cols);
}

template <int GROUPS, bool VECTOR>
void launch_narrow_rows(const float* x, const float* gamma, const float* dy, float* dx,
                        float* dgamma, float* dbeta, int rows, int cols, float eps) {
  const int needed = kata::ceil_div(rows, ROW_THREADS / 32);
  const int blocks = one_wave(needed, narrow_blocks_per_sm(GROUPS));
  float* partials = new_partials(blocks, cols);
  narrow_rows_kernel<GROUPS, VECTOR>
      <<<blocks, ROW_THREADS>>>(x, gamma, dy, dx, partials, rows, cols, eps);
  launch_add_partials(partials, blocks, dgamma, dbeta, cols);
}

// Rows of up to 512 columns.
template <bool VECTOR>
void launch_short_rows(const float* x, const float* gamma, const float* dy, float* dx,
                       float* dgamma, float* dbeta, int rows, int cols, float eps) {
  if (cols <= 128) {
    launch_narrow_rows<1, VECTOR>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  } else if (cols <= 256) {
    launch_narrow_rows<2, VECTOR>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  } else {
    launch_narrow_rows<4, VECTOR>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  }
}
