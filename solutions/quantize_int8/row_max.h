#pragma once
// The largest of the values that LANES threads hold, in each of them: a warp, or the whole block.
//
// The second form takes the bits of non-negative floats, which order like the floats themselves.
//
// All threads of the warp or block must call it. With more than one warp, a second call needs a
// barrier in between.

template <int LANES>
__device__ float row_max(float value) {
  static_assert(LANES % 32 == 0, "whole warps");
  for (int offset = 16; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, offset));
  }
  if constexpr (LANES > 32) {
    __shared__ float slots[LANES / 32];
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = value;
    __syncthreads();
#pragma unroll
    for (int warp = 0; warp < LANES / 32; ++warp) value = fmaxf(value, slots[warp]);
  }
  return value;
}

template <int LANES>
__device__ unsigned row_max(unsigned bits) {
  static_assert(LANES % 32 == 0, "whole warps");
  bits = __reduce_max_sync(0xffffffffu, bits);
  if constexpr (LANES > 32) {
    __shared__ unsigned slots[LANES / 32];
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = bits;
    __syncthreads();
#pragma unroll
    for (int warp = 0; warp < LANES / 32; ++warp) bits = max(bits, slots[warp]);
  }
  return bits;
}
