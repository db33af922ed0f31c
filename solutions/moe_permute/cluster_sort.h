#pragma once
// Rung 7's counting sort: one cluster of blocks, one launch.

#include "../common/block_scan.h"
#include "../common/cluster.h"
#include "counting_sort.h"

constexpr int CLUSTER = 8;
constexpr int CLUSTER_THREADS = 1024;  // a thread per expert
constexpr int CLUSTER_WARPS = CLUSTER_THREADS / 32;
constexpr int MOST_CLUSTERED = 1 << 18;  // assignments; for more, 8 SMs are too few
constexpr int HELD = 8;                  // assignments of a lane whose loads are under way at once
static_assert(MOST_EXPERTS <= CLUSTER_THREADS, "a thread per expert");

// The experts of assignments first + 32 u, for this lane; -1 from `end` on.
__device__ inline void load_experts(int (&held)[HELD], const int* expert, int first, int end) {
#pragma unroll
  for (int u = 0; u < HELD; ++u) held[u] = first + 32 * u < end ? expert[first + 32 * u] : -1;
}

// A warp has neighbouring assignments and a row of next[CLUSTER_WARPS][experts]: its counts, later
// its places. A block reads the counts of all blocks of the cluster from their shared memory.
inline __global__ void __launch_bounds__(CLUSTER_THREADS)
    cluster_sort_kernel(const int* expert, int* offsets, int* position, int assignments,
                        int experts) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ unsigned next[];
  __shared__ unsigned block_counts[MOST_EXPERTS];
  cudaTriggerProgrammaticLaunchCompletion();  // rung 8's copy may start
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const int rank = cluster.block_rank();
  const int per_warp = kata::ceil_div(assignments, CLUSTER * CLUSTER_WARPS);
  const int first = (rank * CLUSTER_WARPS + warp) * per_warp;
  const int end = min(first + per_warp, assignments);
  unsigned* mine = next + warp * experts;
  for (int e = lane; e < experts; e += 32) mine[e] = 0;
  __syncwarp();
  int held[HELD];
  for (int a = first; a < end; a += 32 * HELD) {
    load_experts(held, expert, a + lane, end);
#pragma unroll
    for (int u = 0; u < HELD; ++u) {
      if (held[u] >= 0) atomicAdd(&mine[held[u]], 1u);
    }
  }
  __syncthreads();
  unsigned of_block = 0;
  if (tid < experts) {
#pragma unroll 8
    for (int w = 0; w < CLUSTER_WARPS; ++w) {  // warps in order: the sort is stable
      const unsigned count = next[w * experts + tid];
      next[w * experts + tid] = of_block;
      of_block += count;
    }
    block_counts[tid] = of_block;
  }
  cluster.sync();
  unsigned of_all = 0, of_lower_blocks = 0;
  if (tid < experts) {
#pragma unroll
    for (int r = 0; r < CLUSTER; ++r) {
      const unsigned count = *cluster.map_shared_rank(&block_counts[tid], r);
      of_all += count;
      if (r < rank) of_lower_blocks += count;
    }
  }
  cluster.barrier_arrive();
  unsigned total;
  const unsigned offset = block_exclusive_scan<CLUSTER_THREADS>(of_all, total);
  if (rank == 0 && tid < experts) offsets[tid] = static_cast<int>(offset);
  if (rank == 0 && tid == 0) offsets[experts] = assignments;
  if (tid < experts) {
#pragma unroll 8
    for (int w = 0; w < CLUSTER_WARPS; ++w) next[w * experts + tid] += offset + of_lower_blocks;
  }
  __syncthreads();
  for (int a = first; a < end; a += 32 * HELD) {
    load_experts(held, expert, a + lane, end);
#pragma unroll
    for (int u = 0; u < HELD && a + 32 * u < end; ++u) {
      const unsigned place = take_place(held[u], mine);
      if (held[u] >= 0) position[a + 32 * u + lane] = static_cast<int>(place);
    }
  }
  cluster.barrier_wait();
#endif
}

inline void place_in_cluster(const int* expert, int* offsets, int* position, int assignments,
                             int experts) {
  if (assignments > MOST_CLUSTERED || !has_clusters()) {
    return place_assignments(expert, offsets, position, assignments, experts);
  }
  const int bytes = CLUSTER_WARPS * experts * static_cast<int>(sizeof(unsigned));
  cudaFuncSetAttribute(cluster_sort_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  launch_clusters(CLUSTER, CLUSTER, CLUSTER_THREADS, bytes, cluster_sort_kernel, expert, offsets,
                  position, assignments, experts);
}
