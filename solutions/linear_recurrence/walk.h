#pragma once
// A walk through the steps of one sequence, with the loads of 16 steps under way at a time.

#include <kata/kata.h>

/// `steps` of neighbouring steps, `stride` floats apart. Calls step(k, a, b) for each of them, in
/// order.
template <class Step>
__device__ void walk(const float* a, const float* b, int steps, size_t stride, const Step& step) {
  constexpr int AHEAD = 16;
  for (int first = 0; first < steps; first += AHEAD) {
    const int count = min(AHEAD, steps - first);
    float as[AHEAD], bs[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) {
      if (k >= count) continue;
      as[k] = a[(first + k) * stride];
      bs[k] = b[(first + k) * stride];
    }
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) {
      if (k < count) step(first + k, as[k], bs[k]);
    }
  }
}

constexpr int WALK_THREADS = 128;

/// A thread per sequence.
inline __global__ void walk_kernel(const float* a, const float* b, float* h, int sequences,
                                   int length, int channels) {
  const int s = blockIdx.x * WALK_THREADS + threadIdx.x;
  if (s >= sequences) return;
  const size_t first = static_cast<size_t>(s / channels) * length * channels + s % channels;
  float value = 0.0f;
  walk(a + first, b + first, length, channels, [&](int t, float a_t, float b_t) {
    value = t == 0 ? b_t : a_t * value + b_t;  // the first a may be huge: even times 0 it counts
    h[first + static_cast<size_t>(t) * channels] = value;
  });
}

inline void launch_walk(const float* a, const float* b, float* h, int batch, int length,
                        int channels) {
  const int sequences = batch * channels;
  const int blocks = kata::ceil_div(sequences, WALK_THREADS);
  walk_kernel<<<blocks, WALK_THREADS>>>(a, b, h, sequences, length, channels);
}
