#pragma once
// Where each row of this device goes.

#include "meet.h"

/// Where the rows for one device lie, and where they go.
struct Target {
  int first, count;  ///< row of x, and how many
  int to;            ///< row of y[target]
};

__device__ inline Target target_of(const Sources& all, int target) {
  Target rows = {0, all.send[all.me][target], 0};
  for (int h = 0; h < target; ++h) rows.first += all.send[all.me][h];
  for (int s = 0; s < all.me; ++s) rows.to += all.send[s][target];
  return rows;
}

/// Between two meetings: those of all devices, in shared memory, and what this device receives.
__device__ inline void load_targets(const Sources& all, int* received, Target* targets) {
  if (threadIdx.x < all.gpus) targets[threadIdx.x] = target_of(all, threadIdx.x);
  if (blockIdx.x == 0 && threadIdx.x < all.gpus)
    received[threadIdx.x] = all.send[threadIdx.x][all.me];
  __syncthreads();
}

/// The place of piece i of x, `pieces` of which are a row.
__device__ inline uint4* target_of_piece(const Peers& peers, const Target* targets, int i,
                                         int pieces) {
  const int row = i / pieces;
  int d = 0;
  while (row >= targets[d].first + targets[d].count) ++d;
  const int place = targets[d].to - targets[d].first;  // of row 0, were it among them
  return reinterpret_cast<uint4*>(peers.y[d]) + i + static_cast<long long>(place) * pieces;
}
