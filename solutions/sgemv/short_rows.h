#pragma once
// Rows that one warp or fewer lanes read: the kernels of rung 5, and the choice between them.

#include <kata/kata.h>

#include "row_dot.h"

// Rows of at most 4 * LANES floats.
template <int LANES, bool VECTOR>
__global__ void __launch_bounds__(256)
    short_rows_kernel(const float* A, const float* x, float* y, int M, int K) {
  constexpr int ROWS = 2;  // per group
  const int groups = blockDim.x / LANES;
  const int first_row = blockIdx.x * groups * ROWS + threadIdx.x / LANES;
  float4 a[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const int row = first_row + r * groups;
    a[r] = load4<LANES, VECTOR>(A + static_cast<size_t>(row < M ? row : 0) * K, 0, row < M ? K : 0);
  }
  const float4 part_x = load4<LANES, VECTOR>(x, 0, K);
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const int row = first_row + r * groups;
    const float sum = group_sum<LANES>(dot4(a[r], part_x));
    if (row < M && threadIdx.x % LANES == 0) y[row] = sum;
  }
}

// Longer rows, one warp each.
template <bool VECTOR>
__global__ void __launch_bounds__(256)
    warp_rows_kernel(const float* A, const float* x, float* y, int M, int K) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= M) return;  // the whole warp
  const float* row_A = A + static_cast<size_t>(row) * K;
  const float sum = group_sum<32>(partial_dot<32, VECTOR>(row_A, x, 0, K));
  if (threadIdx.x % 32 == 0) y[row] = sum;
}

template <bool VECTOR>
void launch_rows(const float* A, const float* x, float* y, int M, int K) {
  constexpr int THREADS = 256;
  const auto grid = [M](int lanes) { return kata::ceil_div(M, 2 * THREADS / lanes); };
  if (K <= 16) {
    short_rows_kernel<4, VECTOR><<<grid(4), THREADS>>>(A, x, y, M, K);
  } else if (K <= 32) {
    short_rows_kernel<8, VECTOR><<<grid(8), THREADS>>>(A, x, y, M, K);
  } else if (K <= 64) {
    short_rows_kernel<16, VECTOR><<<grid(16), THREADS>>>(A, x, y, M, K);
  } else if (K <= 128) {
    short_rows_kernel<32, VECTOR><<<grid(32), THREADS>>>(A, x, y, M, K);
  } else {
    warp_rows_kernel<VECTOR><<<kata::ceil_div(M, THREADS / 32), THREADS>>>(A, x, y, M, K);
  }
}
