#pragma once
// Rung 4: exchanges without bank conflicts. After every 16 points one place stays empty.
//
// Accesses of 8 bytes go by half warps, which should meet 16 different pairs of banks. Stores of the
// first stage are 16 points apart: with padding 17, so all pairs are hit. In later stages, and in
// all loads, 16 neighbouring threads have 16 neighbouring points.

#include "radix16.h"

__host__ __device__ constexpr int padded(int points) {
  return points + points / 16;
}

// padded(a + b) is padded(a) + padded(b) in all accesses here, because a % 16 + b % 16 is below 16;
// written so, padded(b) is a constant.
//
// Of the transform in `points`, which `THREADS` threads share; j is this thread's number in it.
// `wait` is a barrier for all of them.
template <int THREADS, class Wait>
__device__ void exchange_padded(float2* points, float2 (&v)[POINTS], int j, int begin, int stride,
                                Wait wait) {
  wait();  // all have loaded what the last exchange stored
#pragma unroll
  for (int m = 0; m < POINTS; ++m) points[padded(begin) + padded(m * stride)] = v[m];
  wait();
#pragma unroll
  for (int m = 0; m < POINTS; ++m) v[m] = points[padded(j) + padded(m * THREADS)];
}
