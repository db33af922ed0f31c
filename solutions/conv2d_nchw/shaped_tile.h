#pragma once
// The product of rung 6 for tiles of any shape, in either order of the taps.

#include "tap_order.h"

// BM output channels times BN pixels for a block, TM x TN of them for a thread.
template <int BM_, int BN_, int TM_, int TN_>
struct TileShape {
  static constexpr int BM = BM_, BN = BN_, TM = TM_, TN = TN_;
  static constexpr int THREADS = BM / TM * (BN / TN);
  static constexpr int PITCH_A = BM + 4;             // no bank conflict where A is transposed
  static constexpr int LOADS_A = BM * BK / THREADS;  // per thread
  static constexpr int LOADS_B = BN * BK / THREADS;  // of one pixel
  static_assert(THREADS % BN == 0 && THREADS % BK == 0 && TM % 4 == 0 && TN % 4 == 0);

  struct Tiles {
    float4 A[BK][PITCH_A / 4];  // [tap][output channel]
    float4 B[BK][BN / 4];       // [tap][pixel]

    __device__ float& a(int k, int m) { return reinterpret_cast<float*>(A[k])[m]; }
    __device__ float& b(int k, int n) { return reinterpret_cast<float*>(B[k])[n]; }
  };

  // The thread's outputs: rows first_row() + r, columns col(n).
  __device__ static int first_row() { return threadIdx.x / (BN / TN) * TM; }
  __device__ static int col(int n) {
    return n / 4 * (4 * BN / TN) + threadIdx.x % (BN / TN) * 4 + n % 4;
  }

  // A block per tile and part of the taps: pixels along x, output channels along y.
  static dim3 grid(const ConvShape& s, int parts = 1) {
    return dim3(kata::ceil_div(s.pixels(), BN), kata::ceil_div(s.out_channels, BM), parts);
  }
};

template <class Shape>
__device__ void multiply(float (&sum)[Shape::TM][Shape::TN], const typename Shape::Tiles& tiles) {
  constexpr int TM = Shape::TM, TN = Shape::TN;
#pragma unroll
  for (int k = 0; k < BK; ++k) {
    float a[TM], b[TN];
#pragma unroll
    for (int r = 0; r < TM; r += 4) {
      const float4 four = tiles.A[k][(Shape::first_row() + r) / 4];
      a[r] = four.x, a[r + 1] = four.y, a[r + 2] = four.z, a[r + 3] = four.w;
    }
#pragma unroll
    for (int n = 0; n < TN; n += 4) {
      const float4 four = tiles.B[k][Shape::col(n) / 4];
      b[n] = four.x, b[n + 1] = four.y, b[n + 2] = four.z, b[n + 3] = four.w;
    }
#pragma unroll
    for (int r = 0; r < TM; ++r) {
#pragma unroll
      for (int n = 0; n < TN; ++n) sum[r][n] += a[r] * b[n];
    }
  }
}

// Adds the products of tiles `tile` to `end` - 1 of the taps to `sum`, two tiles in turn.
template <class Shape, class Order>
__device__ void add_products(float (&sum)[Shape::TM][Shape::TN], const float* x,
                             const float* weight, const ConvShape& s, int tile, int end) {
  __shared__ typename Shape::Tiles tiles[2];
  constexpr int LOADS_A = Shape::LOADS_A, LOADS_B = Shape::LOADS_B;
  constexpr int O_STEP = Shape::THREADS / BK;
  const int tid = threadIdx.x;
  const int row0 = blockIdx.y * Shape::BM, n = tid % Shape::BN;
  // Of the taps that the thread loads; the same for a warp.
  const int first_k = LOADS_B == BK ? 0 : tid / Shape::BN * LOADS_B;
  const Window window(x, s, min(static_cast<int>(blockIdx.x) * Shape::BN + n, s.pixels() - 1));
  const int first_o = row0 + tid / BK;
  const float* own_weights = weight + static_cast<size_t>(first_o) * s.taps();
  Order order(s, tile);
  float weights[LOADS_A], values[LOADS_B];
  const auto load = [&] {
    const int place = order.weight(s, tid % BK);
    const float* from = own_weights + place;
#pragma unroll
    for (int l = 0; l < LOADS_A; ++l) {
      const bool in_bounds = place >= 0 && first_o + l * O_STEP < s.out_channels;
      weights[l] = in_bounds ? *from : 0.0f;
      from += O_STEP * s.taps();
    }
    order.load(values, window, s, first_k);
  };
  const auto store = [&](typename Shape::Tiles& to) {
#pragma unroll
    for (int l = 0; l < LOADS_A; ++l) {
      to.a(tid % BK, tid / BK + l * O_STEP) = weights[l];
    }
#pragma unroll
    for (int k = 0; k < LOADS_B; ++k) to.b(first_k + k, n) = values[k];
  };

  load();
  store(tiles[0]);
  for (int t = 0; tile + t < end; ++t) {
    // Past this barrier tile t is complete, and no thread reads tile t - 1 any more.
    __syncthreads();
    const bool has_next = tile + t + 1 < end;
    if (has_next) load();
    if (row0 + Shape::first_row() < s.out_channels) multiply<Shape>(sum, tiles[t % 2]);
    if (has_next) store(tiles[(t + 1) % 2]);
  }
}

// bias may be nullptr: then the outputs lack it.
template <class Shape>
__device__ void store_outputs(float* y, const float* bias, const float (&sum)[Shape::TM][Shape::TN],
                              const ConvShape& s) {
#pragma unroll
  for (int n = 0; n < Shape::TN; ++n) {
    const int pixel = blockIdx.x * Shape::BN + Shape::col(n);
    if (pixel >= s.pixels()) continue;
    const size_t image = pixel / s.plane(), place = pixel % s.plane();
#pragma unroll
    for (int r = 0; r < Shape::TM; ++r) {
      const int o = blockIdx.y * Shape::BM + Shape::first_row() + r;
      if (o < s.out_channels) {
        y[(image * s.out_channels + o) * s.plane() + place] = sum[r][n] + (bias ? bias[o] : 0.0f);
      }
    }
  }
}
