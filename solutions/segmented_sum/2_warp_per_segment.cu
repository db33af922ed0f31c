// One warp per segment: the lanes read neighbouring elements, and shuffles add up the lanes.
//
// A load of the warp now covers 128 consecutive bytes. Lanes past the end of the segment keep their
// 0 and stay for the shuffles. Only a warp without a segment leaves, and it leaves as a whole.
//
// Prediction: with 16 elements per segment half of the lanes read nothing, and each 64 bytes cost
// two loads of offsets and five shuffles, one after the other: 150 us, hardly better than rung 1. A
// segment of 4 million elements is 131 thousand steps of one warp, 25 ns each with four loads in
// flight: 3 ms instead of 100 ms. Missed: 8448 warps have 64 bytes in flight each, 0.5 MB, where 3
// MB are needed: 500 waves of 1.2 us.
// Measured: 568.9 us at 67108864x4194304, 12 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

#include "../common/block_sum.h"

constexpr int THREADS = 256;
constexpr int SEGMENTS_PER_BLOCK = THREADS / 32;

__global__ void segment_kernel(const float* x, const int* offsets, float* y, int segments) {
  const int lane = threadIdx.x % 32;
  const int s = blockIdx.x * SEGMENTS_PER_BLOCK + threadIdx.x / 32;
  if (s >= segments) return;  // the whole warp
  const int end = offsets[s + 1];
  float sum = 0.0f;
  for (int i = offsets[s] + lane; i < end; i += 32) sum += x[i];
  sum = warp_sum(sum);
  if (lane == 0) y[s] = sum;
}

extern "C" void segmented_sum(const float* x, const int* offsets, float* y, int n, int segments) {
  (void)n;
  const int grid = kata::ceil_div(segments, SEGMENTS_PER_BLOCK);
  segment_kernel<<<grid, THREADS>>>(x, offsets, y, segments);
}
