#pragma once
// Rows copied whole, with as many threads per token as a row's length can use.

#include <kata/kata.h>

#include "../common/aligned.h"

constexpr int THREADS = 256;
constexpr int UNROLL = 4;

// T is float or float4; `count` is the length of a row in vectors of type T.
template <int LANES, class T>
__global__ void embedding_kernel(const int* ids, const T* table, T* y, int n, int count) {
  const int lane = threadIdx.x % LANES;
  const int token = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
  if (token >= n) return;
  const T* row = table + static_cast<size_t>(ids[token]) * count;
  T* out = y + static_cast<size_t>(token) * count;
  for (int first = lane; first < count; first += LANES * UNROLL) {
    T v[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      if (first + LANES * u < count) v[u] = row[first + LANES * u];
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      if (first + LANES * u < count) out[first + LANES * u] = v[u];
    }
  }
}

template <int LANES, class T>
void launch(const int* ids, const T* table, T* y, int n, int count) {
  constexpr int TOKENS = THREADS / LANES;  // per block
  embedding_kernel<LANES><<<kata::ceil_div(n, TOKENS), THREADS>>>(ids, table, y, n, count);
}

template <class T>
void launch_by_row(const int* ids, const T* table, T* y, int n, int count) {
  if (count == 1) {
    launch<1>(ids, table, y, n, count);
  } else if (count <= 2) {
    launch<2>(ids, table, y, n, count);
  } else if (count <= 8) {
    launch<4>(ids, table, y, n, count);
  } else if (count <= 32) {
    launch<8>(ids, table, y, n, count);
  } else if (count <= 256) {
    launch<32>(ids, table, y, n, count);
  } else {
    launch<THREADS>(ids, table, y, n, count);
  }
}

inline void copy_rows(const int* ids, const float* table, float* y, int n, int dim) {
  if (dim % 4 == 0 && is_aligned16(table) && is_aligned16(y)) {
    const float4* table4 = reinterpret_cast<const float4*>(table);
    launch_by_row(ids, table4, reinterpret_cast<float4*>(y), n, dim / 4);
  } else {
    launch_by_row(ids, table, y, n, dim);
  }
}
