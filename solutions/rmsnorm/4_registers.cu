// The row stays in registers between the sum and the result: nothing is read back.
//
// A thread holds 1, 2 or 4 packs of eight columns; every loop over them must be unrolled. All loads
// are issued before the first store, because a store through another pointer would hold them back.
// Rows of more than 8192 columns take slices, and are read back except for the last one.
// The rung to reach in 30 minutes.
//
// Prediction: 8 bytes per element and no read from cache; 64 bytes in flight per thread at 8192 x
// 4096, 128 KB per SM: 65 us, close to the limit. At 65536 x 256 only 32 of 256 threads have a
// pack, so expect twice the limit of 32 us. Met; at 65536 x 256 missed, 159 us: each block starts
// and meets at a barrier for a row of 512 bytes.
// Measured: 67.7 us at 8192x4096, 96 % of the limit (H200, 2026-11-26)
#include <cuda_bf16.h>

#include <kata/kata.h>

#include "../common/row_sum.h"
#include "bf16_norm.h"
#include "row_packs.h"

constexpr int THREADS = 256;
constexpr int WIDTH = 8 * THREADS;  // columns of a group

template <int PACKS, bool VECTOR>
__global__ void rmsnorm_kernel(const __nv_bfloat16* x, __nv_bfloat16* residual,
                               const __nv_bfloat16* weight, __nv_bfloat16* y, int cols, float eps) {
  constexpr int SLICE = PACKS * WIDTH;
  const size_t row = static_cast<size_t>(blockIdx.x) * cols;

  Bf16x8 held[PACKS];
  const auto load_slice = [&](Bf16x8(&packs)[PACKS], const __nv_bfloat16* from, int slice) {
#pragma unroll
    for (int i = 0; i < PACKS; ++i) {
      packs[i] = load_columns<THREADS, VECTOR>(from + row, slice + i * WIDTH, cols);
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
      store_columns<THREADS, VECTOR>(residual + row, slice + i * WIDTH, cols, held[i]);
      squares += sum_of_squares(held[i]);
    }
  }
  const float scale = rsqrtf(row_sum<THREADS>(squares) / cols + eps);

  const int last = (cols - 1) / SLICE * SLICE;
  for (int slice = last; slice >= 0; slice -= SLICE) {
    if (slice != last) load_slice(held, residual, slice);  // the last one is still in registers
#pragma unroll
    for (int i = 0; i < PACKS; ++i) {
      const int first = slice + i * WIDTH;
      const Bf16x8 factor = load_columns<THREADS, VECTOR>(weight, first, cols);
      store_columns<THREADS, VECTOR>(y + row, first, cols, scaled(held[i], scale, factor));
    }
  }
}

template <bool VECTOR, class... Arguments>
void launch(int rows, int cols, Arguments... arguments) {
  if (cols <= WIDTH) {
    rmsnorm_kernel<1, VECTOR><<<rows, THREADS>>>(arguments...);
  } else if (cols <= 2 * WIDTH) {
    rmsnorm_kernel<2, VECTOR><<<rows, THREADS>>>(arguments...);
  } else {
    rmsnorm_kernel<4, VECTOR><<<rows, THREADS>>>(arguments...);
  }
}

extern "C" void rmsnorm(const __nv_bfloat16* x, __nv_bfloat16* residual,
                        const __nv_bfloat16* weight, __nv_bfloat16* y, int rows, int cols,
                        float eps) {
  if (cols % 8 == 0) {
    launch<true>(rows, cols, x, residual, weight, y, cols, eps);
  } else {
    launch<false>(rows, cols, x, residual, weight, y, cols, eps);
  }
}
