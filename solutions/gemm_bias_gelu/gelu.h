#pragma once
// GELU in its exact form.

__device__ inline float gelu(float x) {
  return 0.5f * x * (1.0f + erff(x * 0.70710678f));
}
