#pragma once
// Long rows strip by strip: a strip is 128 columns, and all tokens' pieces of one strip are copied
// before the next strip begins. One warp copies a piece of 512 bytes for each of two tokens.

#include "../common/aligned.h"
#include "lanes_by_dim.h"

constexpr int STRIP = 32;  // in float4
constexpr int STRIP_THREADS = 128;
constexpr int STRIP_LOADS = 2;
constexpr int STRIP_TOKENS = STRIP_THREADS / STRIP * STRIP_LOADS;  // per block
constexpr int MAX_STRIPS = 65535;                                  // the limit of gridDim.y

// Blocks start in the order of blockIdx.x first: blockIdx.y, the strip, changes last.
inline __global__ void __launch_bounds__(STRIP_THREADS)
    strip_kernel(const int* ids, const float4* table, float4* y, int n, int count) {
  constexpr int STEP = STRIP_THREADS / STRIP;
  const int first = blockIdx.x * STRIP_TOKENS + threadIdx.x / STRIP;
  const int col = blockIdx.y * STRIP + threadIdx.x % STRIP;
  if (col >= count) return;
  float4 v[STRIP_LOADS];
#pragma unroll
  for (int u = 0; u < STRIP_LOADS; ++u) {
    const int token = first + STEP * u;
    if (token < n) v[u] = table[static_cast<size_t>(ids[token]) * count + col];
  }
#pragma unroll
  for (int u = 0; u < STRIP_LOADS; ++u) {
    const int token = first + STEP * u;
    if (token < n) y[static_cast<size_t>(token) * count + col] = v[u];
  }
}

// A row is float4s that can be cut into strips.
inline bool has_strips(const float* table, const float* y, int dim) {
  const int count = dim / 4;
  return dim % 4 == 0 && count > STRIP && kata::ceil_div(count, STRIP) <= MAX_STRIPS &&
         is_aligned16(table) && is_aligned16(y);
}

// Any rows: short ones, and rows of single floats, are copied whole.
inline void copy_strips(const int* ids, const float* table, float* y, int n, int dim) {
  if (!has_strips(table, y, dim)) return copy_rows(ids, table, y, n, dim);
  const int count = dim / 4;
  const dim3 grid(kata::ceil_div(n, STRIP_TOKENS), kata::ceil_div(count, STRIP));
  strip_kernel<<<grid, STRIP_THREADS>>>(ids, reinterpret_cast<const float4*>(table),
                                        reinterpret_cast<float4*>(y), n, count);
}
