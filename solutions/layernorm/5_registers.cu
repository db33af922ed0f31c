// The row stays in registers between the passes: x is read once.
//
// With the row in registers two exact passes cost no memory traffic, and no division per value. A
// warp holds 1024 columns, 8 groups of four per lane; every loop over the array must be unrolled.
// Longer rows take slices of 1024 columns, whose moments are merged, and are read twice.
// The rung to reach in 30 minutes.
//
// Prediction: 8 bytes per element up to 1024 columns, the least possible: 33 us at 65536 x 256 and
// 11 us at 4096 x 1024. At 8192 x 4096, 8 loads in flight per lane instead of 1: 94 us.
// Measured: 35.4 us at 65536x256, 93 % of the limit (H200, 2026-11-26)
#include <kata/kata.h>

#include "../common/moments.h"
#include "../common/row_groups.h"
#include "slice_moments.h"

constexpr int THREADS = 128;
constexpr int WARPS = THREADS / 32;
constexpr int WIDTH = 4 * 32;  // columns of a group

template <int GROUPS, bool VECTOR>
__global__ void layernorm_kernel(const float* x, const float* gamma, const float* beta, float* y,
                                 int rows, int cols, float eps) {
  constexpr int SLICE = GROUPS * WIDTH;
  const int row = blockIdx.x * WARPS + threadIdx.x / 32;
  if (row >= rows) return;  // the whole warp: no shuffle misses a lane
  const float* row_x = x + static_cast<size_t>(row) * cols;
  float* row_y = y + static_cast<size_t>(row) * cols;

  Vec4 held[GROUPS];
  const auto load_slice = [&](int slice) {
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      held[i] = load_group<32, VECTOR>(row_x, slice + i * WIDTH, cols);
    }
  };
  Moments mine = {0.0f, 0.0f, 0.0f};
  for (int slice = 0; slice < cols; slice += SLICE) {
    load_slice(slice);
    mine = merge(mine, moments_of<32, GROUPS, VECTOR>(held, slice, cols));
  }
  const Moments all = warp_merge(mine);
  const float inverse_sd = rsqrtf(all.m2 / cols + eps);

  const int last = (cols - 1) / SLICE * SLICE;
  for (int slice = last; slice >= 0; slice -= SLICE) {
    if (slice != last) load_slice(slice);  // the last one is still in registers
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      const int first = slice + i * WIDTH;
      const Vec4 scale = load_group<32, VECTOR>(gamma, first, cols);
      const Vec4 shift = load_group<32, VECTOR>(beta, first, cols);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        held[i].at[k] = (held[i].at[k] - all.mean) * inverse_sd * scale.at[k] + shift.at[k];
      }
      store_group<32, VECTOR>(row_y, first, cols, held[i]);
    }
  }
}

template <bool VECTOR>
void launch(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols,
            float eps) {
  const int grid = kata::ceil_div(rows, WARPS);
  if (cols <= WIDTH) {
    layernorm_kernel<1, VECTOR><<<grid, THREADS>>>(x, gamma, beta, y, rows, cols, eps);
  } else if (cols <= 2 * WIDTH) {
    layernorm_kernel<2, VECTOR><<<grid, THREADS>>>(x, gamma, beta, y, rows, cols, eps);
  } else {
    layernorm_kernel<8, VECTOR><<<grid, THREADS>>>(x, gamma, beta, y, rows, cols, eps);
  }
}

extern "C" void layernorm(const float* x, const float* gamma, const float* beta, float* y, int rows,
                          int cols, float eps) {
  if (cols % 4 == 0) {
    launch<true>(x, gamma, beta, y, rows, cols, eps);
  } else {
    launch<false>(x, gamma, beta, y, rows, cols, eps);
  }
}
