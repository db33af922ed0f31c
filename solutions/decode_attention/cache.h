#pragma once
// The KV cache as kernels see it, and a half's product with floats.

#include <cuda_fp16.h>
#include <kata/kata.h>
#include <math_constants.h>

struct Cache {
  const __half *k, *v;  // [batch, max_length, kv_heads, dim]
  const int* lengths;
  int heads, kv_heads, max_length;
  float scale;  // of the scores

  __host__ __device__ int group() const { return heads / kv_heads; }

  // The first element of a key, or of a value. The caches may have more than 2^31 elements.
  __device__ size_t at(int sequence, int key, int kv_head, int dim) const {
    return ((static_cast<size_t>(sequence) * max_length + key) * kv_heads + kv_head) * dim;
  }
};

__device__ inline float warp_sum_all(float value, int lanes = 32) {
  for (int offset = lanes / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  return value;
}

// Eight halves as floats.
struct Floats8 {
  float at[8];
};

__device__ inline Floats8 floats(uint4 halves) {
  const unsigned pairs[4] = {halves.x, halves.y, halves.z, halves.w};
  Floats8 result;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 pair = __half22float2(*reinterpret_cast<const __half2*>(&pairs[i]));
    result.at[2 * i] = pair.x;
    result.at[2 * i + 1] = pair.y;
  }
  return result;
}
