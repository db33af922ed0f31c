#pragma once
// What every rung computes first: two numbers for each query, [heads, padded length].
//
// D = dO . O is the sum over the keys of P dP, so that no pass over the keys is needed for it. lse
// is multiplied by log2(e), which makes P = exp2(scale log2(e) q.k - lse). Past the end of a head
// lse is +infinity: P is 0 there for any K.

#include <cuda_fp16.h>
#include <kata/kata.h>
#include <math_constants.h>

#include "../common/scratch.h"

struct __align__(8) Statistics {
  float lse, D;
};

constexpr int PADDED_TO = 128;
inline int padded(int length) {
  return kata::ceil_div(length, PADDED_TO) * PADDED_TO;
}

// A warp per query, of which there are pitch = padded(length) for each head.
__global__ void statistics_kernel(const __half* O, const __half* dO, const float* lse,
                                  Statistics* statistics, int length, int pitch, int dim) {
  const int i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  const int query = i % pitch;
  const size_t row = static_cast<size_t>(i / pitch) * length + query;
  float sum = 0.0f;
  for (int c = lane; c < dim / 2 && query < length; c += 32) {
    const float2 x = __half22float2(reinterpret_cast<const __half2*>(O + row * dim)[c]);
    const float2 y = __half22float2(reinterpret_cast<const __half2*>(dO + row * dim)[c]);
    sum += x.x * y.x + x.y * y.y;
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  }
  if (lane > 0) return;
  statistics[i] = {query < length ? lse[row] * CUDART_L2E_F : CUDART_INF_F, sum};
}

inline const Statistics* statistics_of(const __half* O, const __half* dO, const float* lse,
                                       int heads, int length, int dim) {
  constexpr int QUERIES = 8;  // of a block: divides PADDED_TO
  static Scratch<Statistics> scratch;
  const int pitch = padded(length);
  Statistics* statistics = scratch.get(static_cast<size_t>(heads) * pitch);
  statistics_kernel<<<heads*(pitch / QUERIES), 32 * QUERIES>>>(O, dO, lse, statistics, length,
                                                               pitch, dim);
  return statistics;
}
