#pragma once
// A row of 2-byte numbers, COUNT columns per thread at a time, for any number of columns.
//
// A group is COUNT * LANES columns, from column `first` on; each of LANES threads holds COUNT of
// them. If every row begins at a multiple of 16 bytes (cols % 8 == 0), VECTOR is true and COUNT
// eight, and the eight are neighbours: one 16-byte access. Otherwise they lie LANES apart, so that
// neighbouring threads still touch neighbouring addresses. Columns past the end of the row are
// neither read nor written.

#include "../common/pack.h"

// The column of element k of this thread.
template <int LANES, bool VECTOR>
__device__ int pack_column(int first, int k) {
  const int lane = threadIdx.x % LANES;
  return VECTOR ? first + 8 * lane + k : first + lane + k * LANES;
}

// 0 for columns outside the row.
template <int LANES, bool VECTOR, int COUNT = 8, class T>
__device__ Pack<T, COUNT> load_columns(const T* row, int first, int cols) {
  static_assert(!VECTOR || COUNT == 8, "16 bytes");
  Pack<T, COUNT> pack;
  if constexpr (VECTOR) {
    const int col = pack_column<LANES, VECTOR>(first, 0);
    if (col < cols) return load_pack<8>(row + col);
  }
#pragma unroll
  for (int k = 0; k < COUNT; ++k) {
    const int col = pack_column<LANES, VECTOR>(first, k);
    pack.at[k] = !VECTOR && col < cols ? row[col] : T(0.0f);
  }
  return pack;
}

template <int LANES, bool VECTOR, int COUNT, class T>
__device__ void store_columns(T* row, int first, int cols, const Pack<T, COUNT>& pack) {
  if constexpr (VECTOR) {
    const int col = pack_column<LANES, VECTOR>(first, 0);
    if (col < cols) store_pack(row + col, pack);
  } else {
#pragma unroll
    for (int k = 0; k < COUNT; ++k) {
      const int col = pack_column<LANES, VECTOR>(first, k);
      if (col < cols) row[col] = pack.at[k];
    }
  }
}
