#pragma once
// Arithmetic of a fused residual add and RMS norm on packs of bf16, in float.

#include <cuda_bf16.h>

#include "../common/pack.h"

template <int COUNT>
using Bf16s = Pack<__nv_bfloat16, COUNT>;
using Bf16x8 = Bf16s<8>;

// a + b, each sum rounded to bf16.
template <int COUNT>
__device__ Bf16s<COUNT> add(const Bf16s<COUNT>& a, const Bf16s<COUNT>& b) {
  Bf16s<COUNT> sum;
#pragma unroll
  for (int k = 0; k < COUNT; ++k) {
    sum.at[k] = __float2bfloat16(__bfloat162float(a.at[k]) + __bfloat162float(b.at[k]));
  }
  return sum;
}

template <int COUNT>
__device__ float sum_of_squares(const Bf16s<COUNT>& pack) {
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < COUNT; ++k) {
    const float value = __bfloat162float(pack.at[k]);
    sum += value * value;
  }
  return sum;
}

// pack * scale * weight, rounded to bf16 once.
template <int COUNT>
__device__ Bf16s<COUNT> scaled(const Bf16s<COUNT>& pack, float scale, const Bf16s<COUNT>& weight) {
  Bf16s<COUNT> result;
#pragma unroll
  for (int k = 0; k < COUNT; ++k) {
    const float value = __bfloat162float(pack.at[k]) * scale;
    result.at[k] = __float2bfloat16(value * __bfloat162float(weight.at[k]));
  }
  return result;
}
