#pragma once
// Rung 8's work on a tile whose arrays go on behind their ends.

#include "merge_tile.h"

template <int THREADS, int ITEMS>
struct OpenTile {
  static constexpr int SIZE = THREADS * ITEMS;
  static_assert(SIZE % 4 == 0, "tiles of outputs are whole float4");

  // a and b have SIZE elements together, or less in the last tile. a[a_count] and b[b_count] exist:
  // no output is behind them.
  __device__ static void merge(float* outputs, const float* a, int a_count, const float* b,
                               int b_count) {
    const int first = min(static_cast<int>(threadIdx.x) * ITEMS, a_count + b_count);
    const int count = min(ITEMS, a_count + b_count - first);
    const int split = merge_path(a, a_count, b, b_count, first);
    a += split;
    b += first - split;
    float next_a = *a, next_b = *b;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      if (k >= count) break;
      const bool from_a = next_a <= next_b;
      outputs[first + k] = from_a ? next_a : next_b;
      if (from_a) {
        next_a = *++a;
      } else {
        next_b = *++b;
      }
    }
  }

  __device__ static void store(float* C, const float* outputs, int count, bool wide) {
    const int vectors = wide ? count / 4 : 0;
    for (int v = threadIdx.x; v < vectors; v += THREADS) {
      reinterpret_cast<float4*>(C)[v] = reinterpret_cast<const float4*>(outputs)[v];
    }
    for (int k = 4 * vectors + threadIdx.x; k < count; k += THREADS) C[k] = outputs[k];
  }
};
