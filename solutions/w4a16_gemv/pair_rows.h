#pragma once
// Sixteen rows times x, two groups of 128 weights at a time, from rows in shared memory.
//
// Eight lanes read shared memory together: four cells of 16 bytes in each of two rows. The rows are
// a multiple of 128 bytes apart, so if both rows read the same group, their cells are in the same
// banks. So even rows read the first group while odd rows read the second, then the other way
// round. Column 0 of x holds the first group and column 1 the second, and each row uses the column
// of the group that it has read. For the same reason the words of x in odd groups are stored 4
// places further, modulo 8.

#include "mma_rows.h"

// Fills x_pairs with `count` words from word `begin` on, and zeros past the end of x. `threads`
// threads call it.
__device__ inline void load_x(uint4* x_pairs, const uint4* x8, int begin, int count, int K,
                              int threads) {
  for (int i = threadIdx.x; i < count; i += threads) {
    const uint4 x = begin + i < K / 8 ? x8[begin + i] : make_uint4(0, 0, 0, 0);
    x_pairs[place_of(i) ^ (i / WORDS_PER_GROUP % 2 * 4)] = pairs_of(x);
  }
}

// The scales of two groups in a row; 0 for a group past the end of the row.
__device__ inline float2 load_scales(const __half* row_scales, int group, int groups) {
  return make_float2(group < groups ? __half2float(row_scales[group]) : 0.0f,
                     group + 1 < groups ? __half2float(row_scales[group + 1]) : 0.0f);
}

// The scales of a warp's pairs of groups in one stage, for the rows g and g + 8 from `first_row` on.
// The warp's pairs are WARPS apart, from pair number `warp` on.
template <int PAIRS, int WARPS>
struct StageScales {
  float2 upper[PAIRS], lower[PAIRS];

  __device__ void load(const __half* scale, int first_row, int first_group, int M, int groups) {
    const int row = first_row + static_cast<int>(threadIdx.x % 32 / 4);
    const __half* upper_row = scale + static_cast<size_t>(min(row, M - 1)) * groups;
    const __half* lower_row = scale + static_cast<size_t>(min(row + 8, M - 1)) * groups;
#pragma unroll
    for (int p = 0; p < PAIRS; ++p) {
      const int group = first_group + 2 * static_cast<int>(threadIdx.x / 32 + p * WARPS);
      upper[p] = load_scales(upper_row, group, groups);
      lower[p] = load_scales(lower_row, group, groups);
    }
  }
};

// Adds the products of both groups to the sums of the rows g and g + 8, in the lanes with t == 0.
// `weights` is row 0 of the first group. x_pairs are the words of x for the first group, then those
// for the second. If `single`, there is no second group: its x must be 0.
__device__ inline void add_pair(const unsigned char* weights, int row_bytes, bool single,
                                const uint4* x_pairs, float2 upper_scales, float2 lower_scales,
                                float& upper_sum, float& lower_sum) {
  const int g = threadIdx.x % 32 / 4;
  const int t = threadIdx.x % 4;
  const bool odd = g % 2 != 0;
  unsigned upper[2][4], lower[2][4];
#pragma unroll
  for (int pass = 0; pass < 2; ++pass) {
    const int at = single ? 16 * t : 64 * (pass ^ odd) + 16 * t;
    const uint4 u = *reinterpret_cast<const uint4*>(weights + row_bytes * g + at);
    const uint4 l = *reinterpret_cast<const uint4*>(weights + row_bytes * (g + 8) + at);
    upper[pass][0] = u.x, upper[pass][1] = u.y, upper[pass][2] = u.z, upper[pass][3] = u.w;
    lower[pass][0] = l.x, lower[pass][1] = l.y, lower[pass][2] = l.z, lower[pass][3] = l.w;
  }
  float c[2][4] = {};  // columns 2 t and 2 t + 1, of row g and of row g + 8
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const uint4 x = x_pairs[odd * WORDS_PER_GROUP + ((4 * j + t) ^ (4 * odd))];
#pragma unroll
    for (int pass = 0; pass < 2; ++pass) {
      __half2 u[4], l[4];
      unpack(upper[pass][j], u);
      unpack(lower[pass][j], l);
      multiply_add(c[pass], {u[0], l[0], u[1], l[1]}, x.x, x.y);
      multiply_add(c[pass], {u[2], l[2], u[3], l[3]}, x.z, x.w);
    }
  }
  // Even rows read the first group in pass 0, odd rows in pass 1.
  upper_sum += upper_scales.x * (odd ? c[1][0] : c[0][0]);
  upper_sum += upper_scales.y * (odd ? c[0][1] : c[1][1]);
  lower_sum += lower_scales.x * (odd ? c[1][2] : c[0][2]);
  lower_sum += lower_scales.y * (odd ? c[0][3] : c[1][3]);
}
