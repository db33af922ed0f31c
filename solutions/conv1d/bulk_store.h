#pragma once
// Results from shared memory to global memory, by bulk copies where they are whole.

#include "../common/hopper.h"
#include "guarded4.h"

// `bytes` from `from` in shared memory to `to`, all multiples of 16: one thread issues it.
__device__ inline void store_bytes(void* to, const void* from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// y[first ..] = the tile, up to y[n - 1]. All threads must have called fence_async and met. Before
// the tile changes or the block ends, thread 0 must wait_stores_read.
template <int THREADS, int TILE>
__device__ void store_tile(float* y, size_t first, size_t n, const float4* tile) {
  if (first + TILE > n) {
    for (int i = threadIdx.x; i < TILE / 4; i += THREADS) store4(y, first + 4 * i, n, tile[i]);
  } else if (threadIdx.x == 0) {
    store_bytes(y + first, tile, TILE * sizeof(float));
  }
}
