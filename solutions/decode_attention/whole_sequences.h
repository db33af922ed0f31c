#pragma once
// What the kernels of whole sequences share: the size of a block, and the merge of a pair.

#include "../common/cluster.h"
#include "last_part.h"

constexpr int BLOCK_WARPS = 8, BLOCK_THREADS = 32 * BLOCK_WARPS;
constexpr int BLOCK_KEYS = BLOCK_WARPS * WARP_KEYS;

// Writes the rows of `heads` from the parts of both blocks of the cluster, a half of them each.
template <int DIM>
__device__ void merge_pair(Part<DIM>& part, const Heads& heads, int rank, __half* out) {
#if __CUDA_ARCH__ >= 900
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  cluster.sync();
  const Part<DIM>& other = *cluster.map_shared_rank(&part, 1 - rank);
  for (int i = rank * BLOCK_THREADS + threadIdx.x; i < heads.count * DIM; i += 2 * BLOCK_THREADS) {
    const int head = i / DIM, element = i % DIM;
    const float max = fmaxf(part.max[head], other.max[head]);
    const float mine = __expf(part.max[head] - max), its = __expf(other.max[head] - max);
    const float sum = mine * part.sum[head] + its * other.sum[head];
    const float o = mine * part.o[head][element] + its * other.o[head][element];
    out[heads.row * DIM + i] = __float2half(o / sum);
  }
  cluster.sync();  // a block must not end while the other one reads its part
#endif
}
