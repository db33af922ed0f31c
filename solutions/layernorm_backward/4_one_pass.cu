// x and dy are read once: a block takes many rows and keeps its sums down the columns in registers.
//
// A block stays on its SM and takes every gridDim.x-th row. Thread t always has the same columns,
// so what it adds to dgamma and dbeta stays in its registers until the last row. Each block writes
// one partial result, 2 * cols floats, and the kernel of rung 3 adds up those of all blocks. Rows of
// more than 4096 columns, whose sums do not fit, run as in rung 3.
// The rung to reach in 30 minutes.
//
// Prediction: 12 bytes per element: 94 us at 8192 x 4096. 264 partial results of 32 KB are written
// and read, 4 us. A block waits at two barriers per row, with one other block on the SM: 115 us.
// Measured: 115.4 us at 8192x4096, 82 % of the limit (H200, 2026-11-29)
#include "../common/grid_size.h"
#include "column_sums.h"
#include "row_gradient.h"

constexpr int THREADS = 256;
constexpr int BLOCKS_PER_SM = 2;
constexpr int WIDTH = 4 * THREADS;  // columns of a group: four per thread

template <int GROUPS, bool VECTOR>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    one_pass_kernel(const float* x, const float* gamma, const float* dy, float* dx, float* partials,
                    int rows, int cols, float eps) {
  __shared__ float slots_of_mean[1][THREADS / 32], slots_of_sums[3][THREADS / 32];
  Vec4 scale[GROUPS], of_gamma[GROUPS] = {}, of_beta[GROUPS] = {};
#pragma unroll
  for (int i = 0; i < GROUPS; ++i) scale[i] = load_group<THREADS, VECTOR>(gamma, i * WIDTH, cols);

  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const size_t first = static_cast<size_t>(row) * cols;
    Vec4 of_x[GROUPS], of_dy[GROUPS];
    float mean[1] = {};
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      of_x[i] = load_group<THREADS, VECTOR>(x + first, i * WIDTH, cols);
      of_dy[i] = load_group<THREADS, VECTOR>(dy + first, i * WIDTH, cols);
    }
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
#pragma unroll
      for (int k = 0; k < 4; ++k) mean[0] += of_x[i].at[k];  // 0 outside the row
    }
    block_sums(mean, slots_of_mean);
    mean[0] /= cols;

    float sums[3] = {};
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      add_sums<THREADS, VECTOR>(sums, of_x[i], of_dy[i], scale[i], mean[0], i * WIDTH, cols);
    }
    block_sums(sums, slots_of_sums);
    const RowTerms terms = row_terms(mean[0], sums, cols, eps);

#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      const Vec4 result =
          row_gradient(terms, of_x[i], of_dy[i], scale[i], of_gamma[i], of_beta[i]);
      store_group<THREADS, VECTOR>(dx + first, i * WIDTH, cols, result);
    }
  }
  float* partial = partials + static_cast<size_t>(blockIdx.x) * 2 * cols;
#pragma unroll
  for (int i = 0; i < GROUPS; ++i) {  // cols floats before dbeta's: VECTOR keeps them aligned
    store_group<THREADS, VECTOR>(partial, i * WIDTH, cols, of_gamma[i]);
    store_group<THREADS, VECTOR>(partial + cols, i * WIDTH, cols, of_beta[i]);
  }
}

extern "C" void layernorm_backward(const float* x, const float* gamma, const float* dy, float* dx,
                                   float* dgamma, float* dbeta, int rows, int cols, float eps) {
  if (cols > 4 * WIDTH) {
    const float2* statistics = launch_rows(x, gamma, dy, dx, rows, cols, eps);
    launch_column_sums(x, dy, statistics, dgamma, dbeta, rows, cols);
    return;
  }
  const bool vector = rows_are_aligned(x, gamma, dy, dx, cols);
  const auto one = vector ? one_pass_kernel<1, true> : one_pass_kernel<1, false>;
  const auto two = vector ? one_pass_kernel<2, true> : one_pass_kernel<2, false>;
  const auto four = vector ? one_pass_kernel<4, true> : one_pass_kernel<4, false>;
  const auto kernel = cols <= WIDTH ? one : cols <= 2 * WIDTH ? two : four;
  const int blocks = one_wave(rows, BLOCKS_PER_SM);
  float* partials = new_partials(blocks, cols);
  kernel<<<blocks, THREADS>>>(x, gamma, dy, dx, partials, rows, cols, eps);
  launch_add_partials(partials, blocks, dgamma, dbeta, cols);
}
