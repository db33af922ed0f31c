#pragma once
// A sum or a maximum for each row of ROWS rows, over the LANES threads that share the rows, in each
// of them.
//
// LANES is 32, one warp, whose rows take turns in every step: a shuffle takes long, and those of
// other rows fill the time. Or LANES is the size of the block, a power of two, which has one row.
// All threads call it; `slots` has LANES / 32 places in shared memory, for one call only.

template <int LANES, int ROWS, class Merge>
__device__ void reduce_lanes(float (&values)[ROWS], float* slots, Merge merge) {
  constexpr int WARPS = LANES / 32;
  static_assert(WARPS == 1 || ROWS == 1, "more than one row only in a warp");
  static_assert(LANES == 32 * WARPS && (WARPS & (WARPS - 1)) == 0, "1, 2, 4, ... whole warps");
  for (int offset = 16; offset > 0; offset /= 2) {
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      values[r] = merge(values[r], __shfl_xor_sync(0xffffffffu, values[r], offset));
    }
  }
  if (WARPS == 1) return;
  if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = values[0];
  __syncthreads();
  values[0] = slots[threadIdx.x % WARPS];
  for (int offset = WARPS / 2; offset > 0; offset /= 2) {
    values[0] = merge(values[0], __shfl_xor_sync(0xffffffffu, values[0], offset));
  }
}

template <int LANES, int ROWS>
__device__ void sum_lanes(float (&values)[ROWS], float* slots) {
  reduce_lanes<LANES>(values, slots, [](float a, float b) { return a + b; });
}
