#pragma once
// A row of softmax_rows in float4, shared by LANES threads, and the reductions of a warp.

#include <cuda_runtime.h>
#include <math.h>

#include "../common/aligned.h"

/// The maximum over the warp, in all lanes. All lanes call it, and warp_sum.
__device__ inline float warp_max(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, offset));
  }
  return value;
}

__device__ inline float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  return value;
}

__device__ inline float max_of(float4 v) {
  return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
}

__device__ inline float sum_of(float4 v) {
  return (v.x + v.y) + (v.z + v.w);
}

/// __expf takes 2 instructions where expf takes about 8. Its error is at most 2 + 1.17 |x| ulp, and
/// where |x| is large, exp(x) is close to 0.
__device__ inline float4 exponentials(float4 v, float max) {
  return make_float4(__expf(v.x - max), __expf(v.y - max), __expf(v.z - max), __expf(v.w - max));
}

__device__ inline float4 scaled(float4 v, float scale) {
  return make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
}

__device__ inline float load_or_minus_infinity(const float* row, int col, int cols) {
  return col < cols ? row[col] : -INFINITY;
}

/// This lane's four of the 4 * LANES columns from `first` on. From row[cols] on the value is minus
/// infinity, which changes neither maximum nor sum. VECTOR: four neighbours in one 16-byte load;
/// row is aligned and cols a multiple of 4. Otherwise: four columns LANES apart, so that each of
/// the four loads is coalesced.
template <int LANES, bool VECTOR>
__device__ float4 load4(const float* row, int first, int cols) {
  const int lane = threadIdx.x % LANES;
  if (VECTOR) {
    const int col = first + 4 * lane;
    return col < cols ? *reinterpret_cast<const float4*>(row + col)
                      : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
  }
  const int col = first + lane;
  return make_float4(load_or_minus_infinity(row, col, cols),
                     load_or_minus_infinity(row, col + LANES, cols),
                     load_or_minus_infinity(row, col + 2 * LANES, cols),
                     load_or_minus_infinity(row, col + 3 * LANES, cols));
}

/// Stores what load4 would load, except for columns from `cols` on.
template <int LANES, bool VECTOR>
__device__ void store4(float* row, float4 v, int first, int cols) {
  const int lane = threadIdx.x % LANES;
  if (VECTOR) {
    const int col = first + 4 * lane;
    if (col < cols) *reinterpret_cast<float4*>(row + col) = v;
    return;
  }
  const int col = first + lane;
  if (col < cols) row[col] = v.x;
  if (col + LANES < cols) row[col + LANES] = v.y;
  if (col + 2 * LANES < cols) row[col + 2 * LANES] = v.z;
  if (col + 3 * LANES < cols) row[col + 3 * LANES] = v.w;
}
