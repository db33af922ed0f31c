#pragma once
// The sum of one thread's products: the loop of rung 5.

#include <cuda_runtime.h>

__device__ inline float dot4(float4 u, float4 v) {
  return (u.x * v.x + u.y * v.y) + (u.z * v.z + u.w * v.w);
}

// What this thread adds up: UNROLL float4 of each vector, then the tail. All loads of a round are
// issued before the first product.
template <int THREADS, int UNROLL>
__device__ float thread_dot(const float* a, const float* b, int n) {
  const float4* a4 = reinterpret_cast<const float4*>(a);
  const float4* b4 = reinterpret_cast<const float4*>(b);
  const float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  const int count4 = n / 4;
  const int stride4 = gridDim.x * THREADS * UNROLL;
  float sums[UNROLL] = {};
  for (int first = blockIdx.x * THREADS * UNROLL + threadIdx.x; first < count4; first += stride4) {
    float4 u[UNROLL], v[UNROLL];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) {
      const int i = first + k * THREADS;
      u[k] = i < count4 ? a4[i] : zero;
      v[k] = i < count4 ? b4[i] : zero;
    }
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) sums[k] += dot4(u[k], v[k]);
  }

  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n % 4) sums[0] += a[4 * count4 + i] * b[4 * count4 + i];
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < UNROLL; ++k) sum += sums[k];
  return sum;
}
