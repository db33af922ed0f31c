#pragma once
// GELU as rung 5 computes it.

#include <math.h>

__device__ inline float gelu_by_tail(float x) {
  const float size = fminf(fabsf(x), 6.0f);  // the tail is 1e-9 there
  float p = 3.308871601e-05f;
  p = fmaf(p, size, -7.691815263e-04f);
  p = fmaf(p, size, 8.080581203e-03f);
  p = fmaf(p, size, -5.341187492e-02f);
  p = fmaf(p, size, -4.587711692e-01f);
  p = fmaf(p, size, -1.151201606f);
  p = fmaf(p, size, -9.999930859e-01f);
  float tail, positive;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(tail) : "f"(p));
  asm("max.NaN.f32 %0, %1, 0f00000000;" : "=f"(positive) : "f"(x));  // fmaxf would lose a NaN
  return fmaf(-size, tail, positive);
}
