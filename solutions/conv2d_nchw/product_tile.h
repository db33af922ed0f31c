#pragma once
// A convolution as a product of matrices: A = weight, [out_channels, taps], times B, [taps,
// pixels], whose columns are the windows of the output pixels. A block computes BM x BN outputs
// from tiles that are BK deep; a thread computes TM x TN of them, as in sgemm.

#include "conv_shape.h"

constexpr int BM = 64, BN = 128, BK = 8;
constexpr int TM = 8, TN = 8;
constexpr int THREADS = BM / TM * (BN / TN);  // as many as a tile has pixels
constexpr int PITCH_A = BM + 4;               // no bank conflict where A is transposed
constexpr int LOADS_A = BM * BK / THREADS;    // per thread
static_assert(THREADS == BN);

struct Tiles {
  float4 A[BK][PITCH_A / 4];  // [tap][output channel]
  float4 B[BK][BN / 4];       // [tap][pixel]

  __device__ float& a(int k, int m) { return reinterpret_cast<float*>(A[k])[m]; }
  __device__ float& b(int k, int n) { return reinterpret_cast<float*>(B[k])[n]; }
};

// The thread's share of a tile of A. Taps past the last are 0, whatever B holds there: finite.
__device__ inline void load_weights(float (&values)[LOADS_A], const float* weight,
                                    const ConvShape& s, int row0, int k0) {
#pragma unroll
  for (int l = 0; l < LOADS_A; ++l) {
    const int i = threadIdx.x + l * THREADS;
    const int o = row0 + i / BK, k = k0 + i % BK;
    const bool in_bounds = o < s.out_channels && k < s.taps();
    values[l] = in_bounds ? weight[static_cast<size_t>(o) * s.taps() + k] : 0.0f;
  }
}

__device__ inline void store_weights(Tiles& tiles, const float (&values)[LOADS_A]) {
#pragma unroll
  for (int l = 0; l < LOADS_A; ++l) {
    const int i = threadIdx.x + l * THREADS;
    tiles.a(i % BK, i / BK) = values[l];
  }
}

// The thread's outputs: rows first_row() + r, columns first_col() + n and + n + BN / 2, n < 4.
__device__ inline int first_row() {
  return threadIdx.x / (BN / TN) * TM;
}
__device__ inline int first_col() {
  return threadIdx.x % (BN / TN) * 4;
}

__device__ inline void multiply(float (&sum)[TM][TN], const Tiles& tiles) {
#pragma unroll
  for (int k = 0; k < BK; ++k) {
    const float4* a4 = tiles.A[k] + first_row() / 4;
    const float4* b4 = tiles.B[k] + first_col() / 4;
    const float4 a0 = a4[0], a1 = a4[1], b0 = b4[0], b1 = b4[BN / 8];
    const float a[TM] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
    const float b[TN] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
    for (int r = 0; r < TM; ++r) {
#pragma unroll
      for (int n = 0; n < TN; ++n) sum[r][n] += a[r] * b[n];
    }
  }
}

// Columns of the product are pixels first_pixel + col0 and so on; those past `end` do not exist.
__device__ inline void store_outputs(float* y, const float* bias, const float (&sum)[TM][TN],
                                     const ConvShape& s, int row0, int first, int end) {
#pragma unroll
  for (int n = 0; n < TN; ++n) {
    const int pixel = first + first_col() + n % 4 + n / 4 * (BN / 2);
    if (pixel >= end) continue;
    const size_t image = pixel / s.plane(), place = pixel % s.plane();
#pragma unroll
    for (int r = 0; r < TM; ++r) {
      const int o = row0 + first_row() + r;
      if (o < s.out_channels) {
        y[(image * s.out_channels + o) * s.plane() + place] = sum[r][n] + bias[o];
      }
    }
  }
}

// A block per tile: pixels along x, output channels along y.
inline dim3 tile_grid(const ConvShape& s, int pixels) {
  return dim3(kata::ceil_div(pixels, BN), kata::ceil_div(s.out_channels, BM));
}
