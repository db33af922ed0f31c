#pragma once
// Four consecutive floats in one 16-byte access, with elements that a loop can index.
//
// The address must be a multiple of 16 bytes, and all four floats must belong to the buffer. Loops
// over `at` must be unrolled, so that the elements stay in registers.

struct Vec4 {
  float at[4];
};

__device__ inline Vec4 load4(const float* at) {
  const float4 v = *reinterpret_cast<const float4*>(at);
  return {{v.x, v.y, v.z, v.w}};
}

__device__ inline void store4(float* at, const Vec4& v) {
  *reinterpret_cast<float4*>(at) = make_float4(v.at[0], v.at[1], v.at[2], v.at[3]);
}
