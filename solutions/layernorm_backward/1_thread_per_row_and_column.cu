// One thread per row writes dx, then one thread per column adds up dgamma and dbeta.
//
// dx reduces along a row, dgamma and dbeta reduce down a column, so they are two kernels. The first
// keeps mean and 1 / sd of each row for the second. Mean and deviation depend on x themselves:
// their derivatives are the two means that dx subtracts.
//
// Prediction: 8192 rows are 2 warps per SM, which make 3 passes of 4096 dependent steps through
// scattered sectors, 1.9 ms. 4096 columns are one warp per SM: 8192 steps of two loads, coalesced,
// but one at a time, 0.3 us each: 2.4 ms. In all 4300 us; the limit at 8192 x 4096 is 88 us.
// Measured: 3420.1 us at 8192x4096, 2.8 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include "../common/scratch.h"

constexpr int THREADS = 128;

// statistics[row] = {mean, 1 / sd}
__global__ void row_kernel(const float* x, const float* gamma, const float* dy, float* dx,
                           float2* statistics, int rows, int cols, float eps) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= rows) return;
  const size_t first = static_cast<size_t>(row) * cols;
  const float* row_x = x + first;
  const float* row_dy = dy + first;

  float sum = 0.0f;
  for (int col = 0; col < cols; ++col) sum += row_x[col];
  const float mean = sum / cols;

  float m2 = 0.0f, sum_g = 0.0f, sum_gd = 0.0f;
  for (int col = 0; col < cols; ++col) {
    const float deviation = row_x[col] - mean;
    const float g = gamma[col] * row_dy[col];
    m2 += deviation * deviation;
    sum_g += g;
    sum_gd += g * deviation;
  }
  const float inverse_sd = rsqrtf(m2 / cols + eps);
  const float mean_g = sum_g / cols;
  const float mean_gxh = sum_gd * inverse_sd / cols;
  statistics[row] = make_float2(mean, inverse_sd);

  for (int col = 0; col < cols; ++col) {
    const float xh = (row_x[col] - mean) * inverse_sd;
    dx[first + col] = (gamma[col] * row_dy[col] - mean_g - xh * mean_gxh) * inverse_sd;
  }
}

__global__ void column_kernel(const float* x, const float* dy, const float2* statistics,
                              float* dgamma, float* dbeta, int rows, int cols) {
  const int col = blockIdx.x * THREADS + threadIdx.x;
  if (col >= cols) return;
  float of_gamma = 0.0f, of_beta = 0.0f;
  for (int row = 0; row < rows; ++row) {
    const size_t i = static_cast<size_t>(row) * cols + col;
    const float2 of_row = statistics[row];
    of_gamma += dy[i] * (x[i] - of_row.x) * of_row.y;
    of_beta += dy[i];
  }
  dgamma[col] = of_gamma;
  dbeta[col] = of_beta;
}

extern "C" void layernorm_backward(const float* x, const float* gamma, const float* dy, float* dx,
                                   float* dgamma, float* dbeta, int rows, int cols, float eps) {
  static Scratch<float2> scratch;
  float2* statistics = scratch.get(rows);
  const int row_blocks = kata::ceil_div(rows, THREADS);
  const int column_blocks = kata::ceil_div(cols, THREADS);
  row_kernel<<<row_blocks, THREADS>>>(x, gamma, dy, dx, statistics, rows, cols, eps);
  column_kernel<<<column_blocks, THREADS>>>(x, dy, statistics, dgamma, dbeta, rows, cols);
}
