#pragma once
// Rung 1: radix 2 in global memory, one launch per stage. Later rungs use it for large n.

#include "complex.h"

constexpr int STAGE_THREADS = 256;

// Row by row, element k comes from place k with its log2 n bits reversed.
inline __global__ void reverse_kernel(const float2* x, float2* y, int n, int bits, int points) {
  const int i = blockIdx.x * STAGE_THREADS + threadIdx.x;
  if (i >= points) return;
  const int k = i & (n - 1);
  const int reversed = bits == 0 ? 0 : __brev(k) >> (32 - bits);  // a shift by 32 is undefined
  y[i] = x[i - k + reversed];
}

// Transforms of `half` points side by side become transforms of 2 half points, in place.
inline __global__ void stage_kernel(float2* y, int half, int butterflies) {
  const int i = blockIdx.x * STAGE_THREADS + threadIdx.x;
  if (i >= butterflies) return;
  const int k = i & (half - 1);
  float2* even = y + 2 * (i - k) + k;
  float2* odd = even + half;
  const float2 a = *even, b = *odd * root(k, 2 * half);
  *even = a + b;
  *odd = a - b;
}

inline void launch_stages(const float* signal, float* spectrum, int n, int batch) {
  const float2* x = reinterpret_cast<const float2*>(signal);
  float2* y = reinterpret_cast<float2*>(spectrum);
  const int points = n * batch;
  int bits = 0;
  while (1 << bits < n) ++bits;
  reverse_kernel<<<kata::ceil_div(points, STAGE_THREADS), STAGE_THREADS>>>(x, y, n, bits, points);
  for (int half = 1; half < n; half *= 2) {
    const int butterflies = points / 2;
    stage_kernel<<<kata::ceil_div(butterflies, STAGE_THREADS), STAGE_THREADS>>>(y, half,
                                                                               butterflies);
  }
}
