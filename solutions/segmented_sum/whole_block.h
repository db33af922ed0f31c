#pragma once
// Rung 9's work on a share: the parts that would keep a single warp busy go to the whole block.

#include "tile_sums.h"

constexpr int MOST_OF_A_WARP = 1024;  // elements of a part

// The sum of x[0] to x[count - 1], in thread 0. All threads call it.
__device__ inline float sum_by_block(const float* x, int count) {
  return block_sum<THREADS>(lane_sum<THREADS>(x, 0, count, threadIdx.x));
}

// Calls store(s, sum) for each part of the share. All threads call it.
template <class Store>
__device__ void add_parts_by_block(const float* x, const int* offsets, const Share& share,
                                   TileMemory& memory, const Store& store) {
  __shared__ int block_parts[TILE / MOST_OF_A_WARP];
  __shared__ int block_count;
  const float* tile = x + share.first_element;
  if (threadIdx.x == 0) block_count = 0;  // a barrier follows before it is used
  add_short_or_list(tile, offsets, share, memory, store);
  for (int e = threadIdx.x / 32; e < memory.long_count; e += THREADS / 32) {
    const int s = memory.long_parts[e], lane = threadIdx.x % 32;
    const int begin = memory.bounds[s], end = memory.bounds[s + 1];
    if (end - begin > MOST_OF_A_WARP) {  // the whole warp
      if (lane == 0) block_parts[atomicAdd(&block_count, 1)] = s;
    } else {
      const float sum = warp_sum(lane_sum<32>(tile, begin, end, lane));
      if (lane == 0) store(s, sum);
    }
  }
  __syncthreads();
  for (int e = 0; e < block_count; ++e) {
    const int s = block_parts[e], begin = memory.bounds[s];
    const float sum = sum_by_block(tile + begin, memory.bounds[s + 1] - begin);
    if (threadIdx.x == 0) store(s, sum);
    __syncthreads();  // before the next sum by the block
  }
}

// A tile of `items` items per block.
__global__ void __launch_bounds__(THREADS)
    tile_kernel(const float* x, const int* offsets, float* y, int n, int segments, int items,
                Run* carries) {
  __shared__ TileMemory memory;
  const Share share = share_of(blockIdx.x, offsets, n, segments, items);
  add_parts_by_block(x, offsets, share, memory, [&](int part, float sum) {
    const int segment = share.first_segment + part;
    if (part < share.segments) {
      y[segment] = sum;
    } else {  // it ends in a later tile, or does not exist
      carries[blockIdx.x] = {sum, segment < segments ? segment : -1};
    }
  });
}
