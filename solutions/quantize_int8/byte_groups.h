#pragma once
// Four int8 per thread, in the columns of row_groups.h: one 32-bit store where rows are aligned.

#include "../common/row_groups.h"

// The bytes of `packed`, the lowest first, go to this thread's four columns.
template <int LANES, bool VECTOR>
__device__ void store_bytes(signed char* row, int first, int cols, unsigned packed) {
  if constexpr (VECTOR) {
    if (!in_row<LANES, VECTOR>(first, 0, cols)) return;
    *reinterpret_cast<unsigned*>(row + column<LANES, VECTOR>(first, 0)) = packed;
  } else {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (in_row<LANES, VECTOR>(first, k, cols)) {
        row[column<LANES, VECTOR>(first, k)] = static_cast<signed char>(packed >> (8 * k));
      }
    }
  }
}
