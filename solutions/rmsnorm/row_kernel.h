#pragma once
// Rung 5's kernel: a warp or a block per row, by the length of the rows.

#include <cuda_bf16.h>

#include <kata/kata.h>

#include "../common/row_sum.h"
#include "bf16_norm.h"
#include "row_packs.h"

constexpr int WARP_ROWS = 4;  // rows of a block that gives a warp to each

template <int LANES, int PACKS, bool VECTOR>
__global__ void __launch_bounds__(LANES == 32 ? 32 * WARP_ROWS : LANES)
    rmsnorm_kernel(const __nv_bfloat16* x, __nv_bfloat16* residual, const __nv_bfloat16* weight,
                   __nv_bfloat16* y, int rows, int cols, float eps) {
  constexpr int WIDTH = 8 * LANES;  // columns of a group
  constexpr int SLICE = PACKS * WIDTH;
  const int row_index = blockIdx.x * (blockDim.x / LANES) + threadIdx.x / LANES;
  if (row_index >= rows) return;  // a whole warp; with a block per row, no thread
  const size_t row = static_cast<size_t>(row_index) * cols;

  Bf16x8 held[PACKS];
  const auto load_slice = [&](Bf16x8(&packs)[PACKS], const __nv_bfloat16* from, int slice) {
#pragma unroll
    for (int i = 0; i < PACKS; ++i) {
      packs[i] = load_columns<LANES, VECTOR>(from + row, slice + i * WIDTH, cols);
    }
  };
  float squares = 0.0f;
  for (int slice = 0; slice < cols; slice += SLICE) {
    Bf16x8 addend[PACKS];
    load_slice(held, residual, slice);
    load_slice(addend, x, slice);
#pragma unroll
    for (int i = 0; i < PACKS; ++i) {
      held[i] = add(held[i], addend[i]);
      store_columns<LANES, VECTOR>(residual + row, slice + i * WIDTH, cols, held[i]);
      squares += sum_of_squares(held[i]);
    }
  }
  const float scale = rsqrtf(row_sum<LANES>(squares) / cols + eps);

  const int last = (cols - 1) / SLICE * SLICE;
  for (int slice = last; slice >= 0; slice -= SLICE) {
    if (slice != last) load_slice(held, residual, slice);  // the last one is still in registers
#pragma unroll
    for (int i = 0; i < PACKS; ++i) {
      const int first = slice + i * WIDTH;
      const Bf16x8 factor = load_columns<LANES, VECTOR>(weight, first, cols);
      store_columns<LANES, VECTOR>(y + row, first, cols, scaled(held[i], scale, factor));
    }
  }
}
