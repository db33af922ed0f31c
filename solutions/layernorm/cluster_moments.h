#pragma once
// Moments (moments.h) of a cluster of blocks (cluster.h).

#include "../common/cluster.h"
#include "../common/moments.h"

// Of all blocks of the cluster, in every thread. All threads call it once, and cluster_wait later.
template <int CLUSTER>
__device__ Moments cluster_merge(const Moments& of_block) {
#if __CUDA_ARCH__ >= 900
  if (CLUSTER > 1) {
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    __shared__ Moments published;
    if (threadIdx.x == 0) published = of_block;
    cluster.sync();
    Moments all = {0.0f, 0.0f, 0.0f};
    for (int rank = 0; rank < CLUSTER; ++rank) {
      all = merge(all, *cluster.map_shared_rank(&published, rank));
    }
    cluster.barrier_arrive();
    return all;
  }
#endif
  return of_block;
}
