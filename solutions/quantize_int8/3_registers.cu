// The row stays in registers between the maximum and the rounding: x is read once.
//
// LANES threads share a row: a warp up to 1024 columns, else a block of 256 with up to 16 values
// each. The loads of a thread do not depend on each other, so all of them are in flight at once.
// Longer rows are taken in slices, and all slices but the last are read twice.
// The rung to reach in 30 minutes.
//
// Prediction: 5 bytes per element, 168 MB at 8192 x 4096, 40 us at copy speed. 8 blocks per SM with
// up to 16 KB each in flight, but each block passes a barrier and a chain of shuffles between its
// loads and its stores: 48 us.
// Measured: 41.4 us at 8192x4096, 99 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "row_max.h"

template <int LANES, int PER_LANE>
__global__ void quantize_kernel(const float* x, signed char* q, float* scale, int rows, int cols) {
  constexpr int SLICE = LANES * PER_LANE;
  const int lane = threadIdx.x % LANES;
  const int row = blockIdx.x * (blockDim.x / LANES) + threadIdx.x / LANES;
  if (row >= rows) return;  // a whole warp; with a block per row, no thread
  const float* row_x = x + static_cast<size_t>(row) * cols;
  signed char* row_q = q + static_cast<size_t>(row) * cols;

  float held[PER_LANE];
  const auto load_slice = [&](int slice) {
#pragma unroll
    for (int k = 0; k < PER_LANE; ++k) {
      const int col = slice + lane + k * LANES;
      held[k] = col < cols ? row_x[col] : 0.0f;
    }
  };
  float largest = 0.0f;
  for (int slice = 0; slice < cols; slice += SLICE) {
    load_slice(slice);
#pragma unroll
    for (int k = 0; k < PER_LANE; ++k) largest = fmaxf(largest, fabsf(held[k]));
  }
  largest = row_max<LANES>(largest);
  if (lane == 0) scale[row] = largest > 0.0f ? largest / 127.0f : 1.0f;

  const float inverse = largest > 0.0f ? 127.0f / largest : 1.0f;
  const int last = (cols - 1) / SLICE * SLICE;
  for (int slice = last; slice >= 0; slice -= SLICE) {
    if (slice != last) load_slice(slice);  // the last one is still in registers
#pragma unroll
    for (int k = 0; k < PER_LANE; ++k) {
      const int col = slice + lane + k * LANES;
      if (col < cols) row_q[col] = static_cast<signed char>(rintf(held[k] * inverse));
    }
  }
}

extern "C" void quantize_int8(const float* x, signed char* q, float* scale, int rows, int cols) {
  const int warp_rows = 4;
  const int warp_grid = kata::ceil_div(rows, warp_rows);
  if (cols <= 256) {
    quantize_kernel<32, 8><<<warp_grid, 32 * warp_rows>>>(x, q, scale, rows, cols);
  } else if (cols <= 1024) {
    quantize_kernel<32, 32><<<warp_grid, 32 * warp_rows>>>(x, q, scale, rows, cols);
  } else {
    quantize_kernel<256, 16><<<rows, 256>>>(x, q, scale, rows, cols);
  }
}
