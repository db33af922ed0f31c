#pragma once
// A segmented scan over the threads of a block.
//
// A thread's share of the elements may hold boundaries between segments. Only what comes after its
// last boundary matters to the threads behind it: a run.

#include <cuda_runtime.h>

struct Run {
  float sum;    // of the elements after the last boundary
  int segment;  // that begins at the last boundary; -1: there is none
};

__device__ inline Run no_run() {
  return {0.0f, -1};
}

// Associative, as a scan needs it: a boundary in the second part cuts off the first.
__device__ inline Run join(Run first, Run second) {
  if (second.segment >= 0) return second;
  return {first.sum + second.sum, first.segment};
}

// The run of all lower threads of the block; *total is that of the whole block. All threads call
// it, once.
template <int WARPS>
__device__ Run exclusive_run(Run mine, Run* total) {
  __shared__ Run warp_runs[WARPS];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  for (int offset = 1; offset < 32; offset *= 2) {
    const Run lower = {__shfl_up_sync(0xffffffffu, mine.sum, offset),
                       __shfl_up_sync(0xffffffffu, mine.segment, offset)};
    if (lane >= offset) mine = join(lower, mine);
  }
  if (lane == 31) warp_runs[warp] = mine;
  __syncthreads();
  Run before_warp = no_run();
  *total = no_run();
  for (int w = 0; w < WARPS; ++w) {
    if (w == warp) before_warp = *total;
    *total = join(*total, warp_runs[w]);
  }
  const Run before_lane = {__shfl_up_sync(0xffffffffu, mine.sum, 1),
                           __shfl_up_sync(0xffffffffu, mine.segment, 1)};
  return lane > 0 ? join(before_warp, before_lane) : before_warp;
}
