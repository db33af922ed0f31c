#pragma once
// Rung 7's kernel: a cluster of blocks per row, each with 16384 columns of it on the chip.

#include "../common/cluster.h"
#include "../common/grid_size.h"
#include "../common/row_copies.h"
#include "column_sums.h"
#include "row_gradient.h"

constexpr int WIDE_THREADS = 512;
constexpr int WIDE_GROUPS = 8;
constexpr int WIDE_COLS = 4 * WIDE_THREADS * WIDE_GROUPS;  // of a block
constexpr int WIDE_BYTES = 2 * 4 * WIDE_COLS;              // x and dy in shared memory

// Sums over the blocks of a cluster, in every thread. `published` is this call's own place. As with
// block_sums, two calls that take turns need no other barrier.
template <int CLUSTER, int COUNT>
__device__ void cluster_sums(float (&values)[COUNT], float (&published)[COUNT]) {
#if __CUDA_ARCH__ >= 900
  if (CLUSTER == 1) return;
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) {
    for (int n = 0; n < COUNT; ++n) published[n] = values[n];
  }
  cluster.sync();
  const int rank = threadIdx.x % 32;  // each lane reads those of one block
#pragma unroll
  for (int n = 0; n < COUNT; ++n) {
    values[n] = rank < CLUSTER ? *cluster.map_shared_rank(&published[n], rank) : 0.0f;
  }
  warp_sums(values);
#endif
}

// Clusters stay and take every n-th row of n clusters. A block's columns are `begin` to `begin` +
// WIDE_COLS of all of them, and its sums down these columns stay in registers.
template <int CLUSTER, bool VECTOR>
__global__ void __launch_bounds__(WIDE_THREADS)
    wide_rows_kernel(const float* x, const float* gamma, const float* dy, float* dx,
                     float* partials, int rows, int cols, float eps) {
  constexpr int WIDTH = 4 * WIDE_THREADS;  // columns of a group, floats of it in shared memory
  extern __shared__ float4 shared[];       // [x, dy][WIDE_GROUPS][WIDTH] floats
  __shared__ float slots_of_mean[1][WIDE_THREADS / 32], slots_of_sums[3][WIDE_THREADS / 32];
  __shared__ float published_mean[1], published_sums[3];
  float* of_x = reinterpret_cast<float*>(shared);
  float* of_dy = of_x + WIDE_COLS;
  const int begin = cluster_rank<CLUSTER>() * WIDE_COLS;
  const int clusters = gridDim.x / CLUSTER;
  Vec4 of_gamma[WIDE_GROUPS] = {}, of_beta[WIDE_GROUPS] = {};

  const auto copy_group_of = [&](int row, int i) {
    const size_t at = static_cast<size_t>(row) * cols;
    copy_group<WIDE_THREADS, VECTOR>(of_x + i * WIDTH, x + at, begin + i * WIDTH, cols);
    copy_group<WIDE_THREADS, VECTOR>(of_dy + i * WIDTH, dy + at, begin + i * WIDTH, cols);
  };
  const auto staged = [&](const float* stage, int i) {
    return staged_group<WIDE_THREADS, VECTOR>(stage + i * WIDTH);
  };
  const int first_row = blockIdx.x / CLUSTER;
  for (int i = 0; i < WIDE_GROUPS; ++i) copy_group_of(first_row, i);
  for (int row = first_row; row < rows; row += clusters) {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    float mean[1] = {};
#pragma unroll 2  // all registers but the sums' are scarce
    for (int i = 0; i < WIDE_GROUPS; ++i) {
      const Vec4 values = staged(of_x, i);
#pragma unroll
      for (int k = 0; k < 4; ++k) mean[0] += values.at[k];  // 0 outside the row
    }
    block_sums(mean, slots_of_mean);
    cluster_sums<CLUSTER>(mean, published_mean);
    mean[0] /= cols;

    float sums[3] = {};
#pragma unroll 2
    for (int i = 0; i < WIDE_GROUPS; ++i) {
      const int first = begin + i * WIDTH;
      const Vec4 values = staged(of_x, i), gradients = staged(of_dy, i);
      const Vec4 scale = load_group<WIDE_THREADS, VECTOR>(gamma, first, cols);
      add_sums<WIDE_THREADS, VECTOR>(sums, values, gradients, scale, mean[0], first, cols);
    }
    block_sums(sums, slots_of_sums);
    cluster_sums<CLUSTER>(sums, published_sums);
    const RowTerms terms = row_terms(mean[0], sums, cols, eps);
#pragma unroll
    for (int i = 0; i < WIDE_GROUPS; ++i) {
      const int first = begin + i * WIDTH;
      const Vec4 values = staged(of_x, i), gradients = staged(of_dy, i);
      if (row + clusters < rows) copy_group_of(row + clusters, i);  // its place is free now
      const Vec4 scale = load_group<WIDE_THREADS, VECTOR>(gamma, first, cols);
      const Vec4 result =
          row_gradient(terms, values, gradients, scale, of_gamma[i], of_beta[i]);
      store_group<WIDE_THREADS, VECTOR>(dx + static_cast<size_t>(row) * cols, first, cols, result);
    }
  }
  float* partial = partials + static_cast<size_t>(first_row) * 2 * cols;
#pragma unroll
  for (int i = 0; i < WIDE_GROUPS; ++i) {
    const int first = begin + i * WIDTH;
    store_group<WIDE_THREADS, VECTOR>(partial, first, cols, of_gamma[i]);
    store_group<WIDE_THREADS, VECTOR>(partial + cols, first, cols, of_beta[i]);
  }
#if __CUDA_ARCH__ >= 900
  if (CLUSTER > 1) cooperative_groups::this_cluster().sync();  // others may read published_sums
#endif
}

template <int CLUSTER, bool VECTOR>
void launch_wide_rows(const float* x, const float* gamma, const float* dy, float* dx, float* dgamma,
                      float* dbeta, int rows, int cols, float eps) {
  const auto kernel = wide_rows_kernel<CLUSTER, VECTOR>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, WIDE_BYTES);
  const int most = one_wave(rows * CLUSTER, 1) / CLUSTER;
  const int clusters = most > 0 ? most : 1;
  float* partials = new_partials(clusters, cols);
  if (CLUSTER == 1) {
    kernel<<<clusters, WIDE_THREADS, WIDE_BYTES>>>(x, gamma, dy, dx, partials, rows, cols, eps);
  } else {
    launch_clusters(CLUSTER, clusters * CLUSTER, WIDE_THREADS, WIDE_BYTES, kernel, x, gamma, dy, dx,
                    partials, rows, cols, eps);
  }
  launch_add_partials(partials, clusters, dgamma, dbeta, cols);
}
