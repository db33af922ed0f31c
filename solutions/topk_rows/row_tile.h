#pragma once
// Sixteen elements of a row per thread, all loaded before the first one is used.
//
// If rows begin at multiples of 16 bytes (cols % 4 == 0), a thread has four groups of four
// neighbours, each a float4. Otherwise its elements lie blockDim.x apart, so that neighbouring
// threads still read neighbouring addresses.

#include <math.h>

#include "../common/load4.h"
#include "candidates.h"

constexpr int TILE_ITEMS = 16;

template <bool VECTOR>
struct RowTile {
  float value[TILE_ITEMS];
  int first, cols;

  // The tile from column `first_col` on. Columns from `end` on are not read.
  __device__ RowTile(const float* row, int first_col, int end) : first(first_col), cols(end) {
#pragma unroll
    for (int j = 0; j < TILE_ITEMS; j += 4) {
      Vec4 v = {{-INFINITY, -INFINITY, -INFINITY, -INFINITY}};
      if constexpr (VECTOR) {
        if (column(j) < cols) v = load4(row + column(j));
      } else {
#pragma unroll
        for (int c = 0; c < 4; ++c) {
          if (column(j + c) < cols) v.at[c] = row[column(j + c)];
        }
      }
#pragma unroll
      for (int c = 0; c < 4; ++c) value[j + c] = v.at[c];
    }
  }

  __device__ int column(int j) const {
    const int tid = threadIdx.x;
    const int threads = blockDim.x;
    return VECTOR ? first + 4 * (tid + j / 4 * threads) + j % 4 : first + tid + j * threads;
  }

  __device__ float largest() const {
    float most = value[0];
#pragma unroll
    for (int j = 1; j < TILE_ITEMS; ++j) most = fmaxf(most, value[j]);
    return most;
  }

  // Bit j: value[j] is there, and its key may be above the candidates' bound.
  __device__ unsigned may_pass(const Candidates& candidates) const {
    unsigned bits = 0;
#pragma unroll
    for (int j = 0; j < TILE_ITEMS; ++j) {
      if (candidates.may_pass(value[j]) && column(j) < cols) bits |= 1u << j;
    }
    return bits;
  }

  // Of value[j]. It is read again: an index that the compiler does not know would put all values
  // into memory, and few are asked for.
  __device__ Key key(const float* row, int j) const {
    return key_at(row[column(j)], column(j));
  }
};
