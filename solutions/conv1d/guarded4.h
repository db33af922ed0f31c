#pragma once
// float4 accesses at the end of an array whose length is no multiple of 4.
//
// i is a multiple of 4 and the array is aligned to 16 bytes. A vector that lies inside the array is
// one 16-byte access. One that crosses the end is accessed element by element: a bound check of i
// alone would not protect elements i + 1 to i + 3.

#include <cuda_runtime.h>

// array[i .. i + 3], with 0 from array[n] on.
__device__ inline float4 load4(const float* array, size_t i, size_t n) {
  if (i + 3 < n) return *reinterpret_cast<const float4*>(array + i);
  float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  if (i < n) v.x = array[i];
  if (i + 1 < n) v.y = array[i + 1];
  if (i + 2 < n) v.z = array[i + 2];
  return v;
}

// array[i .. i + 3] = v, except for what lies at array[n] or beyond.
__device__ inline void store4(float* array, size_t i, size_t n, float4 v) {
  if (i + 3 < n) {
    *reinterpret_cast<float4*>(array + i) = v;
    return;
  }
  if (i < n) array[i] = v.x;
  if (i + 1 < n) array[i + 1] = v.y;
  if (i + 2 < n) array[i + 2] = v.z;
}
