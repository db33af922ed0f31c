// Four columns per access: float4 loads, and four int8 packed into one 32-bit store.
//
// A store of a byte per lane moves 32 bytes per request, the smallest useful access. Packed, it
// moves 128. Rows are aligned if cols % 4 == 0; ../common/row_groups.h handles the other rows.
//
// Prediction: the bytes of the rung before with a quarter of the memory instructions: 16 loads and
// 16 stores per thread become 4 and 4, which were a third of all instructions. The time between the
// loads and the stores of a block shrinks: 43 us at 8192 x 4096.
// Measured: 40.8 us at 8192x4096, 100 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "byte_groups.h"
#include "row_max.h"

__device__ unsigned pack(const Vec4& v, float inverse) {
  unsigned packed = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    packed |= (__float2int_rn(v.at[k] * inverse) & 0xffu) << (8 * k);
  }
  return packed;
}

template <int LANES, int GROUPS, bool VECTOR>
__global__ void quantize_kernel(const float* x, signed char* q, float* scale, int rows, int cols) {
  constexpr int WIDTH = 4 * LANES;  // columns of a group
  constexpr int SLICE = GROUPS * WIDTH;
  const int row = blockIdx.x * (blockDim.x / LANES) + threadIdx.x / LANES;
  if (row >= rows) return;  // a whole warp; with a block per row, no thread
  const float* row_x = x + static_cast<size_t>(row) * cols;
  signed char* row_q = q + static_cast<size_t>(row) * cols;

  Vec4 held[GROUPS];
  const auto load_slice = [&](int slice) {
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      held[i] = load_group<LANES, VECTOR>(row_x, slice + i * WIDTH, cols);
    }
  };
  float largest = 0.0f;
  for (int slice = 0; slice < cols; slice += SLICE) {
    load_slice(slice);
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
#pragma unroll
      for (int k = 0; k < 4; ++k) largest = fmaxf(largest, fabsf(held[i].at[k]));
    }
  }
  largest = row_max<LANES>(largest);
  if (threadIdx.x % LANES == 0) scale[row] = largest > 0.0f ? largest / 127.0f : 1.0f;

  const float inverse = largest > 0.0f ? 127.0f / largest : 1.0f;
  const int last = (cols - 1) / SLICE * SLICE;
  for (int slice = last; slice >= 0; slice -= SLICE) {
    if (slice != last) load_slice(slice);  // the last one is still in registers
#pragma unroll
    for (int i = 0; i < GROUPS; ++i) {
      store_bytes<LANES, VECTOR>(row_q, slice + i * WIDTH, cols, pack(held[i], inverse));
    }
  }
}

template <bool VECTOR>
void launch(const float* x, signed char* q, float* scale, int rows, int cols) {
  const int warp_rows = 4;
  const int warp_grid = kata::ceil_div(rows, warp_rows);
  if (cols <= 256) {
    quantize_kernel<32, 2, VECTOR><<<warp_grid, 32 * warp_rows>>>(x, q, scale, rows, cols);
  } else if (cols <= 1024) {
    quantize_kernel<32, 8, VECTOR><<<warp_grid, 32 * warp_rows>>>(x, q, scale, rows, cols);
  } else {
    quantize_kernel<256, 4, VECTOR><<<rows, 256>>>(x, q, scale, rows, cols);
  }
}

extern "C" void quantize_int8(const float* x, signed char* q, float* scale, int rows, int cols) {
  if (cols % 4 == 0) {
    launch<true>(x, q, scale, rows, cols);
  } else {
    launch<false>(x, q, scale, rows, cols);
  }
}
