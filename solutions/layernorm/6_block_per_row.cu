// A block per long row: 256 or 512 threads hold up to 16384 columns in their registers.
//
// LANES threads work on a row: 32 up to 1024 columns, as before, else the whole block. The moments
// of the warps meet in shared memory, one triple per warp, and every thread merges them: one
// barrier per row. A longer row is read twice, the last slice excepted.
//
// Prediction: 8 bytes per element up to 16384 columns: 63 us at 8192 x 4096 instead of 94 us. An SM
// holds 4 blocks with 16 KB each in flight, while 23 KB cover the latency of memory. At 512 x
// 131072, 7/8 of each row are read twice; 132 rows of 512 KB exceed L2: 180 us.
// Measured: 69.9 us at 8192x4096, 93 % of the limit (H200, 2026-11-26)
#include <kata/kata.h>

#include "../common/moments.h"
#include "../common/row_groups.h"
#include "slice_moments.h"

constexpr int WARP_ROWS = 4;  // rows of a block that gives a warp to each

template <int LANES, int GROUPS, bool VECTOR>
__global__ void __launch_bounds__(LANES == 32 ? 32 * WARP_ROWS : LANES, LANES == 512 ? 2 : 1)
    layernorm_kernel(const float* x, const float* gamma, const float* beta, float* y, int rows,
                     int cols, float eps) {
  constexpr int WIDTH = 4 * LANES;  // columns of a group
  constexpr int SLICE = GROUPS * WIDTH;
  const int row = blockIdx.x * (blockDim.x / LANES) + threadIdx.x / LANES;
  if (row >= rows) return;  // a whole warp; with a block per row, no thread
  const float* row_x = x + static_cast<size_t>(row) * cols;
  float* row_y = y + static_cast<size_t>(row) * cols;

  Vec4 held[GROUPS];
  const auto load_slice = [&](int slice) {
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      held[i] = load_group<LANES, VECTOR>(row_x, slice + i * WIDTH, cols);
    }
  };
  Moments mine = {0.0f, 0.0f, 0.0f};
  for (int slice = 0; slice < cols; slice += SLICE) {
    load_slice(slice);
    mine = merge(mine, moments_of<LANES, GROUPS, VECTOR>(held, slice, cols));
  }
  const Moments all = block_merge<LANES / 32>(mine);
  const float inverse_sd = rsqrtf(all.m2 / cols + eps);

  const int last = (cols - 1) / SLICE * SLICE;
  for (int slice = last; slice >= 0; slice -= SLICE) {
    if (slice != last) load_slice(slice);  // the last one is still in registers
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      const int first = slice + i * WIDTH;
      const Vec4 scale = load_group<LANES, VECTOR>(gamma, first, cols);
      const Vec4 shift = load_group<LANES, VECTOR>(beta, first, cols);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        held[i].at[k] = (held[i].at[k] - all.mean) * inverse_sd * scale.at[k] + shift.at[k];
      }
      store_group<LANES, VECTOR>(row_y, first, cols, held[i]);
    }
  }
}

template <bool VECTOR>
void launch(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols,
            float eps) {
  const int warp_grid = kata::ceil_div(rows, WARP_ROWS);
  const int warp_block = 32 * WARP_ROWS;
  if (cols <= 128) {
    layernorm_kernel<32, 1, VECTOR><<<warp_grid, warp_block>>>(x, gamma, beta, y, rows, cols, eps);
  } else if (cols <= 256) {
    layernorm_kernel<32, 2, VECTOR><<<warp_grid, warp_block>>>(x, gamma, beta, y, rows, cols, eps);
  } else if (cols <= 1024) {
    layernorm_kernel<32, 8, VECTOR><<<warp_grid, warp_block>>>(x, gamma, beta, y, rows, cols, eps);
  } else if (cols <= 4096) {
    layernorm_kernel<256, 4, VECTOR><<<rows, 256>>>(x, gamma, beta, y, rows, cols, eps);
  } else {
    layernorm_kernel<512, 8, VECTOR><<<rows, 512>>>(x, gamma, beta, y, rows, cols, eps);
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
