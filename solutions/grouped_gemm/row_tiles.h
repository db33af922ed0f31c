#pragma once
// Tiles of rows that do not cross the boundary of a group: rungs 2 and 3.

#include <kata/kata.h>

#include "../common/block_scan.h"
#include "../common/mma_tile.h"
#include "groups.h"

struct RowTile {
  int group, row0, end;  // rows [row0, min(row0 + BM, end)); group is -1 if there is no such tile
};

// Tile number `index` of all groups' tiles of BM rows. The M rows of a matrix have at most
// ceil(M / BM) + groups of them. All threads of the block call it and get the result.
__device__ inline RowTile find_tile(const int* offsets, int groups, int index) {
  __shared__ RowTile found;
  if (threadIdx.x == 0) found = {-1, 0, 0};
  __syncthreads();
  int before = 0;  // tiles of earlier groups
  for (int first = 0; first < groups && before <= index; first += THREADS) {
    const int g = first + threadIdx.x;
    const int begin = g < groups ? offsets[g] : 0, end = g < groups ? offsets[g + 1] : 0;
    const int tiles = kata::ceil_div(end - begin, BM);
    int total;
    const int own = index - before - block_exclusive_scan<THREADS>(tiles, total);
    if (own >= 0 && own < tiles) found = {g, begin + own * BM, end};
    before += total;
  }
  __syncthreads();
  return found;
}

// B [K, N] of a group.
__device__ inline AlignedRows<__nv_bfloat16> of_group(AlignedRows<__nv_bfloat16> B, int group,
                                                      int K) {
  return {B.data + static_cast<int64_t>(group) * K * B.stride, B.stride};
}
