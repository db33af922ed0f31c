// A group of lanes takes two short rows: both loads are in flight, and x is loaded once for both.
//
// With 4 lanes per row, a thread of rung 4 loads one float4 and exits. 2048 threads per SM have 32
// KB in flight, more than the 23 KB that memory needs, but only until their loads return; then new
// blocks have to start. Two rows per group are half as many blocks with twice the bytes each.
//
// Prediction: a new block asks for 8 KB instead of 4, so the time between two blocks counts half:
// 23 us become 20 at 2^20 x 16.
// Measured: 19.4 us at 1048576x16, 99 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "row_dot.h"

constexpr int THREADS = 256;
constexpr int ROWS = 2;         // per group of lanes
constexpr int SHORT_ROW = 128;  // floats that 32 lanes hold in one load4

// K is at most 4 * LANES.
template <int LANES, bool VECTOR>
__global__ void __launch_bounds__(THREADS)
    short_rows_kernel(const float* A, const float* x, float* y, int M, int K) {
  constexpr int GROUPS = THREADS / LANES;
  const int first_row = blockIdx.x * (GROUPS * ROWS) + threadIdx.x / LANES;
  float4 a[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const int row = first_row + r * GROUPS;
    a[r] = load4<LANES, VECTOR>(A + static_cast<size_t>(row < M ? row : 0) * K, 0, row < M ? K : 0);
  }
  const float4 part_x = load4<LANES, VECTOR>(x, 0, K);
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const int row = first_row + r * GROUPS;
    const float sum = group_sum<LANES>(dot4(a[r], part_x));
    if (row < M && threadIdx.x % LANES == 0) y[row] = sum;
  }
}

// Longer rows, one warp each.
template <bool VECTOR>
__global__ void __launch_bounds__(THREADS)
    sgemv_kernel(const float* A, const float* x, float* y, int M, int K) {
  const int row = blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
  if (row >= M) return;  // the whole warp
  const float* row_A = A + static_cast<size_t>(row) * K;
  const float sum = group_sum<32>(partial_dot<32, VECTOR>(row_A, x, 0, K));
  if (threadIdx.x % 32 == 0) y[row] = sum;
}

template <int LANES, bool VECTOR>
void launch_lanes(const float* A, const float* x, float* y, int M, int K) {
  const int grid = kata::ceil_div(M, THREADS / LANES * ROWS);
  short_rows_kernel<LANES, VECTOR><<<grid, THREADS>>>(A, x, y, M, K);
}

template <bool VECTOR>
void launch(const float* A, const float* x, float* y, int M, int K) {
  if (K <= 16) {
    launch_lanes<4, VECTOR>(A, x, y, M, K);
  } else if (K <= 32) {
    launch_lanes<8, VECTOR>(A, x, y, M, K);
  } else if (K <= 64) {
    launch_lanes<16, VECTOR>(A, x, y, M, K);
  } else if (K <= SHORT_ROW) {
    launch_lanes<32, VECTOR>(A, x, y, M, K);
  } else {
    sgemv_kernel<VECTOR><<<kata::ceil_div(M, THREADS / 32), THREADS>>>(A, x, y, M, K);
  }
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  if (K % 4 == 0 && is_aligned16(A) && is_aligned16(x)) {
    launch<true>(A, x, y, M, K);
  } else {
    launch<false>(A, x, y, M, K);
  }
}
