#pragma once
// Arithmetic of a fused residual add and RMS norm on eight bf16 at a time, in float.

#include <cuda_bf16.h>

#include "../common/pack.h"

using Bf16x8 = Pack<__nv_bfloat16, 8>;

// a + b, each sum rounded to bf16.
__device__ inline Bf16x8 add(const Bf16x8& a, const Bf16x8& b) {
  Bf16x8 sum;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    sum.at[k] = __float2bfloat16(__bfloat162float(a.at[k]) + __bfloat162float(b.at[k]));
  }
  return sum;
}

__device__ inline float sum_of_squares(const Bf16x8& pack) {
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const float value = __bfloat162float(pack.at[k]);
    sum += value * value;
  }
  return sum;
}

// pack * scale * weight, rounded to bf16 once.
__device__ inline Bf16x8 scaled(const Bf16x8& pack, float scale, const Bf16x8& weight) {
  Bf16x8 result;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const float value = __bfloat162float(pack.at[k]) * scale;
    result.at[k] = __float2bfloat16(value * __bfloat162float(weight.at[k]));
  }
  return result;
}
