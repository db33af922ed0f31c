// Four short rows per warp: their loads come first, and the weight is loaded once for them.
//
// A warp takes four rows of up to 256 columns, or one of up to 1024; longer rows get 256 or 512
// threads. A block of one warp need not wait for other warps' rows before it makes room. The weight
// is loaded before the sum of squares. An access to rows at odd addresses moves 2 bytes, so a lane
// of a warp would make 160 of them at 1023 columns: from 257 columns on they get a block each.
//
// Prediction: 33.4 us at 65536 x 256, 11.2 at 4096 x 1024, 14.2 at 4096 x 1023, 66.5 at 8192 x
// 4096. In a trial on an H100: 40.2, 12.0, 15.0 and 87.7 (rung 5: 40.7, 12.5, 15.6 and 88.4).
// Measured: 67.9 us at 8192x4096, 96 % of the limit (H200, 2026-11-26)
#include "../common/aligned.h"
#include "../common/lane_reduce.h"
#include "row_kernel.h"

// Rows of up to COLS columns, ROWS rows per block of LANES threads: only a warp has more than one.
template <int LANES, int COLS, int ROWS, bool VECTOR>
__global__ void __launch_bounds__(LANES)
    short_rows_kernel(const __nv_bfloat16* x, __nv_bfloat16* residual, const __nv_bfloat16* weight,
                      __nv_bfloat16* y, int rows, int cols, float eps) {
  __shared__ float slots[LANES / 32];
  constexpr int COUNT = VECTOR ? 8 : 4;
  constexpr int WIDTH = COUNT * LANES;  // columns of a group
  constexpr int PACKS = COLS / WIDTH;
  const int64_t first_row = int64_t{blockIdx.x} * ROWS;
  // Past the last row, that row again.
  const auto row = [&](int r) { return min(first_row + r, int64_t{rows - 1}) * cols; };

  Bf16s<COUNT> held[ROWS][PACKS], addend[ROWS][PACKS], factor[PACKS];
  const auto load_row = [&](Bf16s<COUNT>(&packs)[PACKS], const __nv_bfloat16* from) {
#pragma unroll
    for (int i = 0; i < PACKS; ++i) {
      packs[i] = load_columns<LANES, VECTOR, COUNT>(from, i * WIDTH, cols);
    }
  };
#pragma unroll
  for (int r = 0; r < ROWS; ++r) load_row(held[r], residual + row(r));
#pragma unroll
  for (int r = 0; r < ROWS; ++r) load_row(addend[r], x + row(r));
  load_row(factor, weight);

  float squares[ROWS] = {};
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
#pragma unroll
    for (int i = 0; i < PACKS; ++i) {
      held[r][i] = add(held[r][i], addend[r][i]);
      squares[r] += sum_of_squares(held[r][i]);
      if (first_row + r >= rows) continue;
      store_columns<LANES, VECTOR>(residual + row(r), i * WIDTH, cols, held[r][i]);
    }
  }
  sum_lanes<LANES>(squares, slots);
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    if (first_row + r >= rows) break;
    const float scale = rsqrtf(squares[r] / cols + eps);
#pragma unroll
    for (int i = 0; i < PACKS; ++i) {
      const auto result = scaled(held[r][i], scale, factor[i]);
      store_columns<LANES, VECTOR>(y + row(r), i * WIDTH, cols, result);
    }
  }
}

template <int LANES, int COLS, int ROWS, bool VECTOR, class... Arguments>
void launch_short_rows(int rows, Arguments... arguments) {
  const int grid = kata::ceil_div(rows, ROWS);
  short_rows_kernel<LANES, COLS, ROWS, VECTOR><<<grid, LANES>>>(arguments...);
}

template <bool VECTOR, class... Arguments>
void launch(int rows, int cols, Arguments... arguments) {
  if (cols <= 256) {
    launch_short_rows<32, 256, 4, VECTOR>(rows, arguments...);
  } else if (cols <= 1024) {
    launch_short_rows<VECTOR ? 32 : 256, 1024, 1, VECTOR>(rows, arguments...);
  } else if (cols <= 2048) {
    launch_short_rows<256, 2048, 1, VECTOR>(rows, arguments...);
  } else if (cols <= 4096) {
    launch_short_rows<512, 4096, 1, VECTOR>(rows, arguments...);
  } else {
    rmsnorm_kernel<512, 4, VECTOR><<<rows, 512>>>(arguments...);
  }
}

extern "C" void rmsnorm(const __nv_bfloat16* x, __nv_bfloat16* residual,
                        const __nv_bfloat16* weight, __nv_bfloat16* y, int rows, int cols,
                        float eps) {
  const bool aligned =
      is_aligned16(x) && is_aligned16(residual) && is_aligned16(weight) && is_aligned16(y);
  if (aligned && cols % 8 == 0) {
    launch<true>(rows, cols, x, residual, weight, y, rows, cols, eps);
  } else {
    launch<false>(rows, cols, x, residual, weight, y, rows, cols, eps);
  }
}
