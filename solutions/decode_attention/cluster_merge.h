#pragma once
// The merge of rung 9's clusters, through distributed shared memory.

#include "whole_sequences.h"

// Writes the rows of `heads` from the parts of all blocks of the cluster, a share of them each.
template <int DIM, int CLUSTER>
__device__ void merge_cluster(Part<DIM>& part, const Heads& heads, int rank, __half* out) {
#if __CUDA_ARCH__ >= 900
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  cluster.sync();
  for (int i = rank * BLOCK_THREADS + threadIdx.x; i < heads.count * DIM;
       i += CLUSTER * BLOCK_THREADS) {
    const int head = i / DIM;
    float max[CLUSTER], sum[CLUSTER], o[CLUSTER], top = -CUDART_INF_F;
#pragma unroll
    for (int r = 0; r < CLUSTER; ++r) {
      const Part<DIM>& other = *cluster.map_shared_rank(&part, r);
      max[r] = other.max[head], sum[r] = other.sum[head], o[r] = other.o[head][i % DIM];
      top = fmaxf(top, max[r]);
    }
    float all_sum = 0.0f, all_o = 0.0f;
#pragma unroll
    for (int r = 0; r < CLUSTER; ++r) {
      const float weight = __expf(max[r] - top);
      all_sum += weight * sum[r];
      all_o += weight * o[r];
    }
    out[heads.row * DIM + i] = __float2half(all_o / all_sum);
  }
  cluster.sync();  // a block must not end while others read its part
#endif
}
