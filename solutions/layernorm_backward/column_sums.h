#pragma once
// Rung 3's sums down the columns: by slices of rows, whose partial sums a second kernel adds up.

#include <kata/kata.h>

#include "../common/scratch.h"

constexpr int TILE_COLS = 32;
constexpr int TILE_ROWS = 16;  // rows that a block reads at once
constexpr int UNROLL = 4;
constexpr int ADD_ROWS = 32;  // partials that a block reads at once
constexpr int PARTS = 8;      // of a thread, whose loads are under way at once

// Adds up a number per thread over threadIdx.y, into the threads of the first row.
template <int ROWS>
__device__ float sum_of_tile(float value, float (&tile)[ROWS][TILE_COLS]) {
  tile[threadIdx.y][threadIdx.x] = value;
  __syncthreads();
  float sum = 0.0f;
  for (int r = 0; threadIdx.y == 0 && r < ROWS; ++r) sum += tile[r][threadIdx.x];
  return sum;
}

// partials is [gridDim.y, 2, cols]: what a slice of rows adds to dgamma and dbeta.
__global__ void __launch_bounds__(TILE_ROWS* TILE_COLS)
    slice_kernel(const float* x, const float* dy, const float2* statistics, float* partials,
                 int rows, int cols, int rows_per_slice) {
  __shared__ float tiles[2][TILE_ROWS][TILE_COLS];
  const int col = blockIdx.x * TILE_COLS + threadIdx.x;
  const int begin = blockIdx.y * rows_per_slice;
  const int end = min(begin + rows_per_slice, rows);
  float of_gamma = 0.0f, of_beta = 0.0f;
  for (int first = begin + threadIdx.y; first < end && col < cols; first += UNROLL * TILE_ROWS) {
    float of_x[UNROLL], of_dy[UNROLL];
    float2 of_row[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      const int row = first + u * TILE_ROWS;
      const size_t i = static_cast<size_t>(row) * cols + col;
      of_x[u] = row < end ? x[i] : 0.0f;
      of_dy[u] = row < end ? dy[i] : 0.0f;
      of_row[u] = row < end ? statistics[row] : make_float2(0.0f, 0.0f);
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      of_gamma += of_dy[u] * (of_x[u] - of_row[u].x) * of_row[u].y;
      of_beta += of_dy[u];
    }
  }
  of_gamma = sum_of_tile(of_gamma, tiles[0]);
  of_beta = sum_of_tile(of_beta, tiles[1]);
  if (threadIdx.y > 0 || col >= cols) return;
  float* partial = partials + static_cast<size_t>(blockIdx.y) * 2 * cols;
  partial[col] = of_gamma;
  partial[cols + col] = of_beta;
}

// dgamma and dbeta from `count` partials.
__global__ void __launch_bounds__(ADD_ROWS* TILE_COLS)
    add_partials_kernel(const float* partials, int count, float* dgamma, float* dbeta, int cols) {
  __shared__ float tiles[2][ADD_ROWS][TILE_COLS];
  const int col = blockIdx.x * TILE_COLS + threadIdx.x;
  float of_gamma = 0.0f, of_beta = 0.0f;
  for (int first = threadIdx.y; first < count; first += PARTS * ADD_ROWS) {
    float part_of_gamma[PARTS], part_of_beta[PARTS];
#pragma unroll
    for (int u = 0; u < PARTS; ++u) {
      const int p = first + u * ADD_ROWS;
      const bool exists = p < count && col < cols;
      const float* partial = partials + static_cast<size_t>(p) * 2 * cols;
      part_of_gamma[u] = exists ? partial[col] : 0.0f;
      part_of_beta[u] = exists ? partial[cols + col] : 0.0f;
    }
#pragma unroll
    for (int u = 0; u < PARTS; ++u) {
      of_gamma += part_of_gamma[u];
      of_beta += part_of_beta[u];
    }
  }
  of_gamma = sum_of_tile(of_gamma, tiles[0]);
  of_beta = sum_of_tile(of_beta, tiles[1]);
  if (threadIdx.y > 0 || col >= cols) return;
  dgamma[col] = of_gamma;
  dbeta[col] = of_beta;
}

// Memory for `count` partials.
inline float* new_partials(int count, int cols) {
  static Scratch<float> scratch;
  return scratch.get(static_cast<size_t>(count) * 2 * cols);
}

inline void launch_add_partials(const float* partials, int count, float* dgamma, float* dbeta,
                                int cols) {
  const int tiles = kata::ceil_div(cols, TILE_COLS);
  const dim3 block(TILE_COLS, ADD_ROWS);
  add_partials_kernel<<<tiles, block>>>(partials, count, dgamma, dbeta, cols);
}

inline void launch_column_sums(const float* x, const float* dy, const float2* statistics,
                               float* dgamma, float* dbeta, int rows, int cols) {
  const int tiles = kata::ceil_div(cols, TILE_COLS);
  const int most = kata::ceil_div(rows, UNROLL * TILE_ROWS);
  const int wanted = kata::ceil_div(132 * 8, tiles);  // 8 blocks for each of 132 SMs
  const int rows_per_slice = kata::ceil_div(rows, wanted < most ? wanted : most);
  const int slices = kata::ceil_div(rows, rows_per_slice);
  float* partials = new_partials(slices, cols);
  const dim3 block(TILE_COLS, TILE_ROWS);
  slice_kernel<<<dim3(tiles, slices), block>>>(x, dy, statistics, partials, rows, cols,
                                               rows_per_slice);
  launch_add_partials(partials, slices, dgamma, dbeta, cols);
}
