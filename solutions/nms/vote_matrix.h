#pragma once
// Rung 4's matrix of bits: a lane has two columns, and a vote over a warp makes half a word.

#include "bit_matrix.h"

constexpr int VOTE_WARPS = 8;  // of a block; each has its own 64 columns

// Without a division. The union is not negative, so this is iou(a, b) > threshold.
__device__ inline bool overlaps(float4 a, float area_a, float4 b, float area_b, float threshold) {
  const float inter = intersection(a, b);
  return inter > threshold * (area_a + area_b - inter);
}

__global__ void __launch_bounds__(32 * VOTE_WARPS)
    vote_matrix_kernel(const float4* boxes, Word* matrix, int n, int words, float threshold) {
  __shared__ float4 rows[BITS];
  __shared__ float row_areas[BITS];
  const unsigned all_lanes = 0xffffffffu;
  const int tid = threadIdx.x, lane = tid % 32;
  const int row0 = blockIdx.y * BITS;
  const int w = blockIdx.x * VOTE_WARPS + tid / 32;  // this warp's word
  if ((blockIdx.x + 1) * VOTE_WARPS * BITS <= row0) return;  // all of the block's columns
  const float4 nowhere = make_float4(0.0f, 0.0f, 0.0f, 0.0f);  // area 0: overlaps nothing
  if (tid < BITS) {
    const float4 box = row0 + tid < n ? boxes[row0 + tid] : nowhere;
    rows[tid] = box;
    row_areas[tid] = area(box);
  }
  __syncthreads();
  if (w >= words || w * BITS < row0) return;

  const int low = w * BITS + lane, high = low + 32;
  const float4 low_box = low < n ? boxes[low] : nowhere, high_box = high < n ? boxes[high] : nowhere;
  const float low_area = area(low_box), high_area = area(high_box);
  Word own[2] = {0, 0};  // of rows `lane` and `lane + 32`
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll 4
    for (int r = 0; r < 32; ++r) {
      const float4 row = rows[32 * half + r];
      const float row_area = row_areas[32 * half + r];
      const unsigned low_votes =
          __ballot_sync(all_lanes, overlaps(row, row_area, low_box, low_area, threshold));
      const unsigned high_votes =
          __ballot_sync(all_lanes, overlaps(row, row_area, high_box, high_area, threshold));
      if (r == lane) own[half] = static_cast<Word>(high_votes) << 32 | low_votes;
    }
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int r = 32 * half + lane;
    if (row0 == w * BITS) own[half] &= ~1ull << r;  // later boxes only
    if (row0 + r < n) matrix[static_cast<size_t>(row0 + r) * words + w] = own[half];
  }
}

inline const Word* vote_matrix(const float4* boxes, int n, int words, float threshold) {
  static Scratch<Word> scratch;
  Word* matrix = scratch.get(static_cast<size_t>(n) * words);
  const dim3 grid(kata::ceil_div(words, VOTE_WARPS), words);
  vote_matrix_kernel<<<grid, 32 * VOTE_WARPS>>>(boxes, matrix, n, words, threshold);
  return matrix;
}
