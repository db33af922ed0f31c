#pragma once
// The table of counts of rungs 4 and 5: how often each 8-bit digit occurs in each tile.

#include "../radix_sort/radix_tile.h"

constexpr int THREADS = 512;
constexpr int ITEMS = 16;
using Tile = RadixTile<THREADS, ITEMS>;  // 8192 pairs

// counts[digit][tile]: digit-major, so that one scan of the table gives all places.
__global__ void count_digits(const unsigned* keys, unsigned* counts, int n, int shift) {
  __shared__ unsigned tile_counts[RADIX];
  const int tid = threadIdx.x;
  const int first = blockIdx.x * Tile::SIZE;
  if (tid < RADIX) tile_counts[tid] = 0;
  __syncthreads();
  for (int i = tid; i < Tile::SIZE && i < n - first; i += THREADS) {
    atomicAdd(&tile_counts[digit_of(keys[first + i], shift)], 1);
  }
  __syncthreads();
  if (tid < RADIX) counts[tid * gridDim.x + blockIdx.x] = tile_counts[tid];
}

// From a pair's place in the sorted tile to its place in the output, for the digit of this thread
// below RADIX. places[digit][tile] counts the keys up to and including this entry of the table.
__device__ inline unsigned offset_of_digit(const unsigned* places, unsigned digit_start) {
  const unsigned entry = threadIdx.x * gridDim.x + blockIdx.x;
  return (entry > 0 ? places[entry - 1] : 0) - digit_start;
}
