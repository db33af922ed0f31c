// segmented_sum: y[s] is the sum of x[offsets[s]] to x[offsets[s + 1] - 1].
//
// offsets has segments + 1 ascending entries, from 0 to n. A segment may be empty: its sum is 0.
// n may be 0. y arrives filled with NaN.
// Given: one warp per segment, 8 warps per block. You may change the launch and add helpers.
// Check it: harness/kata check segmented_sum   or   ctest -R segmented_sum
#include <kata/kata.h>

__global__ void segment_kernel(const float* x, const int* offsets, float* y, int segments) {
  // your code
}

extern "C" void segmented_sum(const float* x, const int* offsets, float* y, int n, int segments) {
  const int segments_per_block = 8;
  const dim3 block(32, segments_per_block);
  const int grid = kata::ceil_div(segments, segments_per_block);
  segment_kernel<<<grid, block>>>(x, offsets, y, segments);
}
