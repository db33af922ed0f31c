#pragma once
// A row of floats, four columns per thread at a time, for any number of columns.
//
// A group is 4 * LANES columns, from column `first` on; each of LANES threads holds four of them.
// If every row begins at a multiple of 16 bytes (cols % 4 == 0), VECTOR is true, and the four are
// neighbours: one 16-byte access. A row of 1023 floats leaves the next row misaligned, where such
// an access would be an error. Then the four lie LANES apart, so that neighbouring threads still
// touch neighbouring addresses in each of four accesses.
//
// Columns past the end of the row are neither read nor written. They are the last of a thread's
// four.

#include "load4.h"

// The column of element k of this thread.
template <int LANES, bool VECTOR>
__device__ int column(int first, int k) {
  const int lane = threadIdx.x % LANES;
  return VECTOR ? first + 4 * lane + k : first + lane + k * LANES;
}

// Whether that column lies inside the row. Four neighbours are all inside or all outside.
template <int LANES, bool VECTOR>
__device__ bool in_row(int first, int k, int cols) {
  return column<LANES, VECTOR>(first, VECTOR ? 0 : k) < cols;
}

// How many of this thread's four columns lie inside the row.
template <int LANES, bool VECTOR>
__device__ int count_inside(int first, int cols) {
  int count = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) count += in_row<LANES, VECTOR>(first, k, cols);
  return count;
}

// 0 for columns outside the row.
template <int LANES, bool VECTOR>
__device__ Vec4 load_group(const float* row, int first, int cols) {
  Vec4 v = {};
  if constexpr (VECTOR) {
    if (in_row<LANES, VECTOR>(first, 0, cols)) v = load4(row + column<LANES, VECTOR>(first, 0));
  } else {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (in_row<LANES, VECTOR>(first, k, cols)) v.at[k] = row[column<LANES, VECTOR>(first, k)];
    }
  }
  return v;
}

template <int LANES, bool VECTOR>
__device__ void store_group(float* row, int first, int cols, const Vec4& v) {
  if constexpr (VECTOR) {
    if (in_row<LANES, VECTOR>(first, 0, cols)) store4(row + column<LANES, VECTOR>(first, 0), v);
  } else {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (in_row<LANES, VECTOR>(first, k, cols)) row[column<LANES, VECTOR>(first, k)] = v.at[k];
    }
  }
}
