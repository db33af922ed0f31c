#pragma once
// Rung 5's kernel, which later rungs use for rows of 513 to 4096 columns.

#include "../common/grid_size.h"
#include "../common/row_copies.h"
#include "column_sums.h"
#include "row_gradient.h"

// A persistent block, as in rung 4, with two stages in shared memory, [2][x, dy][GROUPS][WIDTH].
// While a row is in work, the block's next row is on its way to the other stage.
template <int GROUPS, bool VECTOR>
__global__ void __launch_bounds__(ROW_THREADS, 2)
    copied_rows_kernel(const float* x, const float* gamma, const float* dy, float* dx,
                       float* partials, int rows, int cols, float eps) {
  constexpr int LANES = ROW_THREADS;
  constexpr int WIDTH = 4 * LANES;  // columns of a group, floats of it in a stage
  extern __shared__ float4 shared[];
  __shared__ float slots_of_mean[1][LANES / 32], slots_of_sums[3][LANES / 32];
  float* stages = reinterpret_cast<float*>(shared);
  Vec4 of_gamma[GROUPS] = {}, of_beta[GROUPS] = {};

  const auto copy_row = [&](int row, float* stage) {
    const size_t first = static_cast<size_t>(row) * cols;
#pragma unroll
    for (int i = 0; row < rows && i < GROUPS; ++i) {
      copy_group<LANES, VECTOR>(stage + i * WIDTH, x + first, i * WIDTH, cols);
      copy_group<LANES, VECTOR>(stage + (GROUPS + i) * WIDTH, dy + first, i * WIDTH, cols);
    }
    __pipeline_commit();
  };
  copy_row(blockIdx.x, stages);
  int parity = 0;
  for (int row = blockIdx.x; row < rows; row += gridDim.x, parity ^= 1) {
    float* stage = stages + parity * 2 * GROUPS * WIDTH;
    copy_row(row + gridDim.x, stages + (parity ^ 1) * 2 * GROUPS * WIDTH);
    __pipeline_wait_prior(1);

    Vec4 of_x[GROUPS], of_dy[GROUPS];
    float mean[1] = {};
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      of_x[i] = staged_group<LANES, VECTOR>(stage + i * WIDTH);
      of_dy[i] = staged_group<LANES, VECTOR>(stage + (GROUPS + i) * WIDTH);
#pragma unroll
      for (int k = 0; k < 4; ++k) mean[0] += of_x[i].at[k];  // 0 outside the row
    }
    block_sums(mean, slots_of_mean);
    mean[0] /= cols;

    float sums[3] = {};
    Vec4 scale[GROUPS];
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      scale[i] = load_group<LANES, VECTOR>(gamma, i * WIDTH, cols);
      add_sums<LANES, VECTOR>(sums, of_x[i], of_dy[i], scale[i], mean[0], i * WIDTH, cols);
    }
    block_sums(sums, slots_of_sums);
    const RowTerms terms = row_terms(mean[0], sums, cols, eps);
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      const Vec4 result =
          row_gradient(terms, of_x[i], of_dy[i], scale[i], of_gamma[i], of_beta[i]);
      store_group<LANES, VECTOR>(dx + static_cast<size_t>(row) * cols, i * WIDTH, cols, result);
    }
  }
  float* partial = partials + static_cast<size_t>(blockIdx.x) * 2 * cols;
#pragma unroll
  for (int i = 0; i < GROUPS; ++i) {
    store_group<LANES, VECTOR>(partial, i * WIDTH, cols, of_gamma[i]);
    store_group<LANES, VECTOR>(partial + cols, i * WIDTH, cols, of_beta[i]);
  }
}

template <int GROUPS, bool VECTOR>
void launch_copied_rows(const float* x, const float* gamma, const float* dy, float* dx,
                        float* dgamma, float* dbeta, int rows, int cols, float eps) {
  constexpr int BYTES = 2 * 2 * GROUPS * ROW_THREADS * 16;
  const auto kernel = copied_rows_kernel<GROUPS, VECTOR>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  const int blocks = one_wave(rows, 2);
  float* partials = new_partials(blocks, cols);
  kernel<<<blocks, ROW_THREADS, BYTES>>>(x, gamma, dy, dx, partials, rows, cols, eps);
  launch_add_partials(partials, blocks, dgamma, dbeta, cols);
}

// Rows of up to 4096 columns.
template <bool VECTOR>
void launch_middle_rows(const float* x, const float* gamma, const float* dy, float* dx,
                        float* dgamma, float* dbeta, int rows, int cols, float eps) {
  if (cols <= 1024) {
    launch_copied_rows<1, VECTOR>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  } else if (cols <= 2048) {
    launch_copied_rows<2, VECTOR>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  } else {
    launch_copied_rows<4, VECTOR>(x, gamma, dy, dx, dgamma, dbeta, rows, cols, eps);
  }
}
