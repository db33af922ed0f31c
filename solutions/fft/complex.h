#pragma once
// Complex numbers as float2 (x real, y imaginary), and roots of unity.

#include <kata/kata.h>

__device__ inline float2 operator+(float2 a, float2 b) {
  return make_float2(a.x + b.x, a.y + b.y);
}

__device__ inline float2 operator-(float2 a, float2 b) {
  return make_float2(a.x - b.x, a.y - b.y);
}

__device__ inline float2 operator*(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// exp(-2 pi i k / n) for a power of two n and |k| below 2^24: the fraction k / n is exact, and
// sincospi needs no reduction by pi.
__device__ inline float2 root(int k, int n) {
  float2 w;
  sincospif(-2.0f / n * k, &w.y, &w.x);
  return w;
}
