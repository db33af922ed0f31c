#pragma once
// The cache as kernels see it: one row per token, which is the key of all heads, and whose first
// LATENT elements are the value.

#include <cuda_bf16.h>
#include <kata/kata.h>
#include <math_constants.h>

constexpr int ROW = 576, LATENT = 512;  // elements
constexpr int CELLS = ROW / 8;          // of 16 bytes, in a row

struct Latents {
  const __nv_bfloat16 *q, *cache;  // [batch, heads, ROW], [batch, max_length, ROW]
  const int* lengths;
  int heads, max_length;
  float factor;  // scale log2 e: exp(scale s) = exp2(factor s)

  // The cache may have more than 2^31 elements.
  __device__ const __nv_bfloat16* row(int sequence, int key) const {
    return cache + (static_cast<size_t>(sequence) * max_length + key) * ROW;
  }
  __device__ const __nv_bfloat16* query(int sequence, int head) const {
    return q + (static_cast<size_t>(sequence) * heads + head) * ROW;
  }
};

inline Latents latents(const __nv_bfloat16* q, const __nv_bfloat16* cache, const int* lengths,
                       int heads, int max_length, float scale) {
  return {q, cache, lengths, heads, max_length, scale * 1.44269504f};
}
