#pragma once
// Rows of weights times x on tensor cores, where a warp's load covers one row.
//
// Lane l of a warp holds 32 consecutive weights of each row, and in x the 32 values that belong to
// them. In mma.m16n8k16, lane 4 g + t holds row g of the left matrix and column g of the right one.
// So row g of the left matrix is a group of 128 weights, held by four lanes, and column g is the
// group's part of x. Element (g, g) of the product is what the group adds to its row, before
// scaling. The other elements multiply groups with the wrong part of x: they cost nothing extra.
// The lower eight rows of the left matrix are the same groups of a second row of W.

#include "mma_rows.h"

constexpr int SLICE = 1024;  // weights of a row that a warp loads at once, 16 bytes per lane

// The part of COUNT rows that a warp works on: this lane's weights, and the scale of its group.
template <int COUNT>
struct RowSlices {
  unsigned words[COUNT][4];
  __half scales[COUNT];

  // Rows past the last one repeat it, and weights past the end of a row repeat the last ones.
  __device__ void load(const uint4* W4, const __half* scale, int first_row, int k, int M, int K) {
#pragma unroll
    for (int r = 0; r < COUNT; ++r) {
      const size_t i = static_cast<size_t>(min(first_row + r, M - 1)) * K + min(k, K - 32);
      const uint4 v = W4[i / 32];
      words[r][0] = v.x, words[r][1] = v.y, words[r][2] = v.z, words[r][3] = v.w;
      scales[r] = scale[i / 128];
    }
  }

  // Adds the products with x to the sums of the rows. Only the lanes of holds_sum() get the right
  // ones, and each has the sum of its group alone.
  __device__ void add_products(const uint4 (&x)[4], float (&sums)[COUNT]) const {
    const bool odd = threadIdx.x / 4 % 2 != 0;
    float c[COUNT / 2][4] = {};
#pragma unroll
    for (int j = 0; j < 4; ++j) {
#pragma unroll
      for (int p = 0; p < COUNT / 2; ++p) {
        __half2 u[4], l[4];
        unpack(words[2 * p][j], u);
        unpack(words[2 * p + 1][j], l);
        multiply_add(c[p], {u[0], l[0], u[1], l[1]}, x[j].x, x[j].y);
        multiply_add(c[p], {u[2], l[2], u[3], l[3]}, x[j].z, x[j].w);
      }
    }
#pragma unroll
    for (int p = 0; p < COUNT / 2; ++p) {
      sums[2 * p] += __half2float(scales[2 * p]) * (odd ? c[p][1] : c[p][0]);
      sums[2 * p + 1] += __half2float(scales[2 * p + 1]) * (odd ? c[p][3] : c[p][2]);
    }
  }
};

// A lane has columns 2 t and 2 t + 1 of row g of a product: t = g / 2 has element (g, g).
__device__ inline bool holds_sum() {
  const int lane = threadIdx.x % 32;
  return lane % 4 == lane / 8;
}

// This lane's 32 values of x, from number k on, in the order of unpack(); zeros past the end.
__device__ inline void load_own_x(const uint4* x8, int k, int K, uint4 (&x)[4]) {
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    x[j] = k < K ? pairs_of(x8[k / 8 + j]) : make_uint4(0, 0, 0, 0);
  }
}
