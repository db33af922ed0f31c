// From 1 to 32 lanes per row: as many as an average row keeps busy.
//
// The mean is nnz / rows, known on the host without looking at the matrix. Lanes per row is a
// template parameter and a power of two, so several rows share a warp. Lanes without a row take
// part in the shuffles with a sum of 0: with a full mask no lane may leave early.
//
// Prediction: 16 entries a row get 8 lanes, two entries each: four times as many rows in flight as
// with a warp per row. 2^20 rows move 147 MB, and the gathers of x 537 MB of sectors from L2, 684
// MB in all: 130 us at the 5.5 TB/s that L2 delivers. The mean says nothing about one giant row: it
// still hangs on a few lanes.
// Measured: 132.4 us at 1048576x1048576x16777216, 27 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

constexpr int THREADS = 256;
constexpr unsigned ALL_LANES = 0xffffffffu;

template <int LANES>
__global__ void spmv_kernel(const int* row_start, const int* col, const float* value,
                            const float* x, float* y, int rows) {
  const int lane = threadIdx.x % LANES;
  const size_t row = (static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x) / LANES;
  const bool has_row = row < static_cast<size_t>(rows);
  const int begin = has_row ? row_start[row] : 0;
  const int end = has_row ? row_start[row + 1] : 0;
  float sum = 0.0f;
  for (int i = begin + lane; i < end; i += LANES) sum += value[i] * x[col[i]];
#pragma unroll
  for (int offset = LANES / 2; offset > 0; offset /= 2) {
    sum += __shfl_down_sync(ALL_LANES, sum, offset, LANES);
  }
  if (has_row && lane == 0) y[row] = sum;
}

template <int LANES>
void launch(const int* row_start, const int* col, const float* value, const float* x, float* y,
            int rows) {
  constexpr int ROWS_PER_BLOCK = THREADS / LANES;
  const int grid = kata::ceil_div(rows, ROWS_PER_BLOCK);
  spmv_kernel<LANES><<<grid, THREADS>>>(row_start, col, value, x, y, rows);
}

extern "C" void spmv(const int* row_start, const int* col, const float* value, const float* x,
                     float* y, int rows, int cols, int nnz) {
  (void)cols;
  const int mean = nnz / rows;
  if (mean <= 2) return launch<1>(row_start, col, value, x, y, rows);
  if (mean <= 4) return launch<2>(row_start, col, value, x, y, rows);
  if (mean <= 8) return launch<4>(row_start, col, value, x, y, rows);
  if (mean <= 16) return launch<8>(row_start, col, value, x, y, rows);
  if (mean <= 32) return launch<16>(row_start, col, value, x, y, rows);
  launch<32>(row_start, col, value, x, y, rows);
}
