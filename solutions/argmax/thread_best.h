#pragma once
// The best pair of one thread that strides through x by float4, UNROLL of them in flight.
//
// The loop keeps the largest value and the index of its float4, best4: one comparison
// for four elements. Which of the four it was is found at the end, by reading that float4 again.

#include "../common/best.h"

template <int THREADS, int UNROLL>
__device__ Best thread_best(const float* x, int n) {
  const float4* x4 = reinterpret_cast<const float4*>(x);
  const int count4 = n / 4;
  const int stride4 = gridDim.x * THREADS * UNROLL;
  float value = -CUDART_INF_F;
  int best4 = -1;
  for (int first = blockIdx.x * THREADS * UNROLL + threadIdx.x; first < count4; first += stride4) {
    if (best4 < 0) best4 = first;  // if all values are minus infinity, the first one is the best
    float4 v[UNROLL];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) v[k] = x4[min(first + k * THREADS, count4 - 1)];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) {
      const float largest = fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w));
      if (largest > value) {
        value = largest;
        best4 = min(first + k * THREADS, count4 - 1);
      }
    }
  }

  Best best = no_best();
  if (best4 >= 0) {
    const float4 v = x4[best4];
    const int k = v.x == value ? 0 : v.y == value ? 1 : v.z == value ? 2 : 3;
    best = {value, 4 * best4 + k};
  }
  const int i = 4 * count4 + blockIdx.x * THREADS + threadIdx.x;  // the last n % 4 elements
  if (i < n) best = better(best, {x[i], i});
  return best;
}
