#pragma once
// A segmented scan over the threads of a block. A thread's share may end in the middle of a row:
// its partial sum belongs to the first row that ends in a later thread's share.

#include <cuda_runtime.h>

struct Carry {
  float sum;  // of the entries since the last row end
  int ended;  // did a row end here?
};

__device__ inline Carry join(Carry before, Carry after) {
  return {after.ended ? after.sum : before.sum + after.sum, before.ended | after.ended};
}

// Returns what the threads before this one carry into it; *total is what the block carries out.
template <int WARPS>
__device__ Carry exclusive_scan(Carry mine, Carry* total) {
  __shared__ Carry warps[WARPS];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  for (int offset = 1; offset < 32; offset *= 2) {
    const Carry before = {__shfl_up_sync(0xffffffffu, mine.sum, offset),
                          __shfl_up_sync(0xffffffffu, mine.ended, offset)};
    if (lane >= offset) mine = join(before, mine);
  }
  if (lane == 31) warps[warp] = mine;
  __syncthreads();
  Carry in = {0.0f, 0};
  *total = {0.0f, 0};
  for (int w = 0; w < WARPS; ++w) {
    if (w < warp) in = join(in, warps[w]);
    *total = join(*total, warps[w]);
  }
  const Carry neighbour = {__shfl_up_sync(0xffffffffu, mine.sum, 1),
                           __shfl_up_sync(0xffffffffu, mine.ended, 1)};
  return lane == 0 ? in : join(in, neighbour);
}
