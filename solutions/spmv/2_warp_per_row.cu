// One warp per row: lanes read neighbouring entries, and shuffles add up the partial sums.
//
// The rung to reach in 30 minutes. The entries of a row are contiguous, so loads of `col` and
// `value` are coalesced. A warp whose row does not exist leaves as a whole, so every shuffle has
// all 32 lanes.
//
// Prediction: rows of 32 or more entries run at memory speed except for the gathers of x. With 16
// entries a row half of the lanes idle, and five shuffles follow one product: latency is the
// limit, 250 us for 2^20 rows. A row of 4 million entries takes one warp 131 thousand steps of
// about 1 us with little in flight: 100 ms. Missed: four loads are in flight, so a step takes 0.12
// us.
// Measured: 193.0 us at 1048576x1048576x16777216, 18 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

constexpr int THREADS = 256;
constexpr unsigned ALL_LANES = 0xffffffffu;

__global__ void spmv_kernel(const int* row_start, const int* col, const float* value,
                            const float* x, float* y, int rows) {
  const int lane = threadIdx.x % 32;
  const size_t row = (static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x) / 32;
  if (row >= static_cast<size_t>(rows)) return;  // the whole warp
  const int end = row_start[row + 1];
  float sum = 0.0f;
  for (int i = row_start[row] + lane; i < end; i += 32) sum += value[i] * x[col[i]];
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_down_sync(ALL_LANES, sum, offset);
  }
  if (lane == 0) y[row] = sum;
}

extern "C" void spmv(const int* row_start, const int* col, const float* value, const float* x,
                     float* y, int rows, int cols, int nnz) {
  (void)cols, (void)nnz;
  constexpr int ROWS_PER_BLOCK = THREADS / 32;
  spmv_kernel<<<kata::ceil_div(rows, ROWS_PER_BLOCK), THREADS>>>(row_start, col, value, x, y, rows);
}
