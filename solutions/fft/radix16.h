#pragma once
// Transforms of up to 16 points in the registers of a thread, and of N points by N / 16 threads.

#include <type_traits>

#include "complex.h"

constexpr int POINTS = 16;  // per thread

// a exp(-2 pi i k / 16), k from 0 to 7. Loops around are unrolled, so k is a constant.
__device__ inline float2 turn16(float2 a, int k) {
  if (k >= 4) {
    a = make_float2(a.y, -a.x);
    k -= 4;
  }
  if (k == 0) return a;
  if (k == 2) return make_float2(0.70710678f * (a.x + a.y), 0.70710678f * (a.y - a.x));
  const float cos = k == 1 ? 0.92387953f : 0.38268343f;
  const float sin = k == 1 ? 0.38268343f : 0.92387953f;
  return make_float2(cos * a.x + sin * a.y, cos * a.y - sin * a.x);
}

// In place and in natural order: Stockham's stages of radix 2.
template <int R>
__device__ void transform_in_registers(float2 (&v)[R]) {
#pragma unroll
  for (int done = 1; done < R; done *= 2) {
    float2 u[R];
#pragma unroll
    for (int j = 0; j < R / 2; ++j) {
      const int k = j % done;
      const float2 a = v[j], b = turn16(v[j + R / 2], k * (8 / done));
      u[2 * (j - k) + k] = a + b;
      u[2 * (j - k) + k + done] = a - b;
    }
#pragma unroll
    for (int j = 0; j < R; ++j) v[j] = u[j];
  }
}

// v[i] times w^i.
template <int R>
__device__ void multiply_by_powers(float2 (&v)[R], float2 w) {
  float2 power = w;
#pragma unroll
  for (int i = 1; i < R; ++i) {
    v[i] = v[i] * power;
    power = power * w;
  }
}

// A stage of thread j's 16 points: transforms of `done` points become such of done RADIX. Its part
// number p is the transform of v[p], v[p + PARTS], v[p + 2 PARTS] and so on.
template <int RADIX>
__device__ void stage(float2 (&v)[POINTS], int j, int done) {
  constexpr int PARTS = POINTS / RADIX;
  const float2 w = root(j & (done - 1), done * RADIX);
#pragma unroll
  for (int part = 0; part < PARTS; ++part) {
    float2 u[RADIX];
#pragma unroll
    for (int i = 0; i < RADIX; ++i) u[i] = v[part + i * PARTS];
    if (done > 1) multiply_by_powers(u, turn16(w, part));
    transform_in_registers(u);
#pragma unroll
    for (int i = 0; i < RADIX; ++i) v[part + i * PARTS] = u[i];
  }
}

// Thread j of N / 16 has points j + m N / 16 of a transform of N points in v[m], before and after.
// Stages of radix 16, and a smaller one at the end. Between two stages, `exchange(v, begin, stride)`
// stores v[m] at place begin + m stride, and loads points j + m N / 16 when all threads have stored.
template <int N, class Exchange>
__device__ void transform_by_threads(float2 (&v)[POINTS], int j, Exchange exchange) {
  constexpr int LAST_RADIX = N <= 256 ? N / 16 : N <= 4096 ? N / 256 : N / 4096;
  int done = 1;
#pragma unroll
  for (; done * POINTS < N; done *= POINTS) {
    stage<POINTS>(v, j, done);
    const int k = j & (done - 1);
    exchange(v, (j - k) * POINTS + k, done);
  }
  stage<LAST_RADIX>(v, j, done);
}

// Calls launch with n, a power of two up to 16384, as a constant.
template <int N = 1, class Launch>
void with_length(int n, Launch launch) {
  if (n == N) {
    launch(std::integral_constant<int, N>());
  } else if constexpr (N < 16384) {
    with_length<2 * N>(n, launch);
  }
}
