#pragma once
// One-dimensional convolution of R neighbouring outputs in registers.
//
// Output r needs inputs r to r + k - 1, so R outputs share a window of inputs that slides by one
// input per tap. All loops are unrolled: every index is a constant and the arrays are registers.

#include <cuda_runtime.h>

// acc[r] += sum over t < TAPS of window[r + t] * w[t].
template <int TAPS, int R, int SIZE>
__device__ __forceinline__ void apply(float (&acc)[R], const float (&window)[SIZE],
                                      const float* w) {
  static_assert(SIZE >= R + TAPS - 1, "the window must hold all inputs of this step");
#pragma unroll
  for (int t = 0; t < TAPS; ++t) {
    const float tap = w[t];
#pragma unroll
    for (int r = 0; r < R; ++r) acc[r] += window[r + t] * tap;
  }
}

// A tile in shared memory from which each thread reads 16 neighbouring floats as four float4. The
// threads are four vectors apart, so all lanes would meet in half of the banks. With a vector of
// padding after every four, threads are five apart and 8 neighbours use all 32 banks.
// padded(i) is the place of vector i; padded(i + 4) is five further on.
__host__ __device__ constexpr int padded(int i) {
  return i + i / 4;
}

// window[first .. first + 15] = the four vectors from `vectors` on.
template <int SIZE>
__device__ __forceinline__ void load16(float (&window)[SIZE], int first, const float4* vectors) {
#pragma unroll
  for (int v = 0; v < 4; ++v) {
    const float4 x = vectors[v];
    window[first + 4 * v] = x.x;
    window[first + 4 * v + 1] = x.y;
    window[first + 4 * v + 2] = x.z;
    window[first + 4 * v + 3] = x.w;
  }
}

// apply() for `count` taps, rounded up to an odd number: most filters have an odd length. count is
// the same in all threads, so the branches do not diverge.
template <int MOST, int R, int SIZE>
__device__ __forceinline__ void apply_rest(float (&acc)[R], const float (&window)[SIZE],
                                           const float* w, int count) {
  if (count > MOST - 2) {
    apply<MOST>(acc, window, w);
  } else if constexpr (MOST > 1) {
    apply_rest<MOST - 2>(acc, window, w, count);
  }
}

// Adds `count` taps to 16 outputs. `in` points at the first input in a padded tile, `taps` at the
// taps, which are the same for all threads: reading four of them is one access to shared memory.
// Both are read in whole steps of 16, and the taps after the last one must be 0.
__device__ __forceinline__ void add_taps(float (&acc)[16], const float4* in, const float4* taps,
                                         int count) {
  float window[32];
  float w[16];
  load16(window, 0, in);
#pragma unroll 2
  for (; count >= 16; count -= 16) {
    in += padded(4);
    load16(window, 16, in);
    load16(w, 0, taps);
    taps += 4;
    apply<16>(acc, window, w);
#pragma unroll
    for (int i = 0; i < 16; ++i) window[i] = window[i + 16];
  }
  if (count == 0) return;
  load16(window, 16, in + padded(4));
  load16(w, 0, taps);
  apply_rest<15>(acc, window, w, count);
}
