#pragma once
// Kernels on several devices that meet by flags in scratch memory.

#include <kata/kata.h>

#include <algorithm>

#include "../common/device_flags.h"
#include "counts.h"

constexpr int THREADS = 512;
constexpr int MOST_BLOCKS = 128;  // blocks wait, so all of them must fit on the device at once

/// Begins each device's scratch. Only block b of device h writes round[b][h].
struct Flags {
  unsigned round[MOST_BLOCKS][MAX_GPUS];
};

/// What a kernel may reach, besides what it reads.
struct Peers {
  __nv_bfloat16* y[MAX_GPUS];
  Flags* flags[MAX_GPUS];
};

inline Peers peers_of(__nv_bfloat16* const* y, void* const* scratch, int gpus) {
  Peers peers = {};
  for (int g = 0; g < gpus; ++g) {
    peers.y[g] = y[g];
    peers.flags[g] = static_cast<Flags*>(scratch[g]);
  }
  return peers;
}

/// A thread for each 16 bytes, as far as blocks may go.
inline int blocks_for(int rows, int dim) {
  return static_cast<int>(
      std::min<long long>(MOST_BLOCKS, kata::ceil_div(1ll * rows * dim, 8ll * THREADS)));
}

/// Block b of each device waits for block b of all others. What the threads of a block did before
/// comes before its flag, since they meet at __syncthreads().
__device__ inline void meet(const Peers& peers, int me, int gpus, unsigned round) {
  __syncthreads();
  if (threadIdx.x < gpus) {
    raise_for_all(&peers.flags[threadIdx.x]->round[blockIdx.x][me], round);
    wait_for_all(&peers.flags[me]->round[blockIdx.x][threadIdx.x], round);
  }
  __syncthreads();
}
