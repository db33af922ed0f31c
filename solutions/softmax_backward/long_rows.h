#pragma once
// The kernel of rungs 7 and 8: dy of a slice of the row in registers, y of it in shared memory.

#include "../common/cluster.h"
#include "../common/row_copies.h"
#include "row_kernel.h"

// The sum over the blocks of a cluster, in every thread. All threads call it once, and cluster_wait
// later: no block may end before the others have read its sum.
template <int CLUSTER>
__device__ float cluster_sum(float of_block) {
#if __CUDA_ARCH__ >= 900
  if (CLUSTER > 1) {
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    __shared__ float published;
    if (threadIdx.x == 0) published = of_block;
    cluster.sync();
    float sum = 0.0f;
    for (int rank = 0; rank < CLUSTER; ++rank) sum += *cluster.map_shared_rank(&published, rank);
    cluster.barrier_arrive();
    return sum;
  }
#endif
  return of_block;
}

constexpr int LONG_LANES = 512;
constexpr int LONG_GROUPS = 8;
constexpr int LONG_SLICE = 4 * LONG_LANES * LONG_GROUPS;  // 16384 columns
constexpr int LONG_BYTES = 4 * LONG_SLICE;                // of y in shared memory

// CLUSTER blocks per row. Each takes every CLUSTER-th slice of 16384 columns.
template <int CLUSTER, bool VECTOR>
__global__ void __launch_bounds__(LONG_LANES, 2)
    long_rows_kernel(const float* y, const float* dy, float* dx, int cols) {
  constexpr int WIDTH = 4 * LONG_LANES;         // columns of a group
  constexpr int STRIDE = CLUSTER * LONG_SLICE;  // from one slice of a block to its next
  extern __shared__ float4 shared[];
  __shared__ float slots[LONG_LANES / 32];
  float* stage = reinterpret_cast<float*>(shared);  // [LONG_GROUPS][WIDTH]
  const int begin = cluster_rank<CLUSTER>() * LONG_SLICE;
  const size_t row = static_cast<size_t>(blockIdx.x / CLUSTER) * cols;

  Vec4 of_dy[LONG_GROUPS];
  const auto load_slice = [&](int slice) {
#pragma unroll
    for (int i = 0; i < LONG_GROUPS; ++i) {
      copy_group<LONG_LANES, VECTOR>(stage + i * WIDTH, y + row, slice + i * WIDTH, cols);
    }
    __pipeline_commit();
#pragma unroll
    for (int i = 0; i < LONG_GROUPS; ++i) {
      of_dy[i] = load_group<LONG_LANES, VECTOR>(dy + row, slice + i * WIDTH, cols);
    }
    __pipeline_wait_prior(0);
  };
  float sum[1] = {};
  for (int slice = begin; slice < cols; slice += STRIDE) {
    load_slice(slice);
#pragma unroll
    for (int i = 0; i < LONG_GROUPS; ++i) {
      const Vec4 of_y = staged_group<LONG_LANES, VECTOR>(stage + i * WIDTH);
#pragma unroll
      for (int k = 0; k < 4; ++k) sum[0] += of_y.at[k] * of_dy[i].at[k];
    }
  }
  sum_lanes<LONG_LANES>(sum, slots);
  const float all = cluster_sum<CLUSTER>(sum[0]);

  const int last = begin + (cols - 1 - begin) / STRIDE * STRIDE;
  for (int slice = last; slice >= begin && slice < cols; slice -= STRIDE) {
    if (slice != last) load_slice(slice);  // the last one is still on the chip
#pragma unroll
    for (int i = 0; i < LONG_GROUPS; ++i) {
      const Vec4 of_y = staged_group<LONG_LANES, VECTOR>(stage + i * WIDTH);
#pragma unroll
      for (int k = 0; k < 4; ++k) of_dy[i].at[k] = of_y.at[k] * (of_dy[i].at[k] - all);
      store_group<LONG_LANES, VECTOR>(dx + row, slice + i * WIDTH, cols, of_dy[i]);
    }
  }
  cluster_wait<CLUSTER>();
}

template <int CLUSTER, bool VECTOR>
void launch_long_rows(const float* y, const float* dy, float* dx, int rows, int cols) {
  const auto kernel = long_rows_kernel<CLUSTER, VECTOR>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, LONG_BYTES);
  if (CLUSTER == 1) {
    kernel<<<rows, LONG_LANES, LONG_BYTES>>>(y, dy, dx, cols);
  } else {
    launch_clusters(CLUSTER, rows * CLUSTER, LONG_LANES, LONG_BYTES, kernel, y, dy, dx, cols);
  }
}
