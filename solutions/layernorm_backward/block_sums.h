#pragma once
// Several sums over a block at once, in every thread: their shuffles take turns, and all share one
// barrier.
//
// All THREADS threads call it; the number of warps is a power of two. `slots` are in shared memory.
// Two calls that take turns, each with slots of its own, need no other barrier: before a thread
// can write to the slots of one call again, all have passed the barrier of the other.

template <int COUNT>
__device__ void warp_sums(float (&values)[COUNT]) {
  for (int offset = 16; offset > 0; offset /= 2) {
#pragma unroll
    for (int n = 0; n < COUNT; ++n) values[n] += __shfl_xor_sync(0xffffffffu, values[n], offset);
  }
}

template <int COUNT, int WARPS>
__device__ void block_sums(float (&values)[COUNT], float (&slots)[COUNT][WARPS]) {
  warp_sums(values);
  if (threadIdx.x % 32 == 0) {
#pragma unroll
    for (int n = 0; n < COUNT; ++n) slots[n][threadIdx.x / 32] = values[n];
  }
  __syncthreads();
#pragma unroll
  for (int n = 0; n < COUNT; ++n) values[n] = slots[n][threadIdx.x % WARPS];
  for (int offset = WARPS / 2; offset > 0; offset /= 2) {
#pragma unroll
    for (int n = 0; n < COUNT; ++n) values[n] += __shfl_xor_sync(0xffffffffu, values[n], offset);
  }
}
