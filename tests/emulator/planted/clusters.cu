// Faults with the shared memory of other blocks of a cluster. `HERE kind name` is where plant_name
// has its one fault.
#include <cooperative_groups.h>

#include "filled.cuh"

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2) unordered(float* y) {
  __shared__ float mine[32];
  const cg::cluster_group cluster = cg::this_cluster();
  mine[threadIdx.x] = y[threadIdx.x];
  cluster.sync();
  mine[threadIdx.x] = 2.0f;
  const float* other = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
  y[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x];  // HERE race cluster_race: cluster.sync()
  cluster.sync();
}

__global__ void __cluster_dims__(2) block_barrier(float* y) {
  __shared__ float mine[32];
  const cg::cluster_group cluster = cg::this_cluster();
  mine[threadIdx.x] = 0.0f;
  cluster.sync();
  cluster.map_shared_rank(mine, 0)[threadIdx.x] = blockIdx.x;  // HERE race cluster_writes: of block
  cluster.sync();
  y[blockIdx.x * 32 + threadIdx.x] = mine[threadIdx.x];
}

__global__ void __cluster_dims__(4) no_last_sync(float* y) {
  __shared__ float mine[32];
  const cg::cluster_group cluster = cg::this_cluster();
  mine[threadIdx.x] = 1.0f;
  cluster.sync();
  const float* next = cluster.map_shared_rank(mine, (cluster.block_rank() + 1) % 4);
  const float value = next[threadIdx.x];  // HERE out_of_bounds cluster_left: that block returns
  y[blockIdx.x * 32 + threadIdx.x] = value;
}

__global__ void __cluster_dims__(2) past_end(float* y) {
  __shared__ float mine[32];
  const cg::cluster_group cluster = cg::this_cluster();
  mine[threadIdx.x] = 1.0f;
  cluster.sync();
  const float* other = cluster.map_shared_rank(mine, 1 - cluster.block_rank());
  y[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x + 1];  // HERE out_of_bounds cluster_end
  cluster.sync();
}

__global__ void __cluster_dims__(2) never_written(float* y) {
  __shared__ float mine[32];
  const cg::cluster_group cluster = cg::this_cluster();
  if (cluster.block_rank() == 0) mine[threadIdx.x] = 1.0f;
  cluster.sync();
  const float* other = cluster.map_shared_rank(mine, 1);
  y[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x];  // HERE uninitialized cluster_unwritten
  cluster.sync();
}

__global__ void __cluster_dims__(2) no_such_rank(float* y) {
  __shared__ float mine[32];
  mine[threadIdx.x] = 1.0f;
  const float* other = cg::this_cluster().map_shared_rank(mine, 2);
  y[threadIdx.x] = other[threadIdx.x];  // HERE out_of_bounds cluster_rank: null
}

__global__ void __cluster_dims__(2) not_begun(float* y) {
  __shared__ float mine[32];
  const cg::cluster_group cluster = cg::this_cluster();
  float* other = cluster.map_shared_rank(mine, 1 - cluster.block_rank());
  other[threadIdx.x] = 1.0f;  // HERE out_of_bounds cluster_early: may not have begun
  cluster.sync();
  y[blockIdx.x * 32 + threadIdx.x] = mine[threadIdx.x];
}

__global__ void __cluster_dims__(2) one_waits(float* y) {
  const cg::cluster_group cluster = cg::this_cluster();
  if (blockIdx.x == 0 || threadIdx.x > 0) {
    cluster.sync();
  } else {
    __syncthreads();  // HERE deadlock cluster_waits: at __syncthreads() for ever
  }
  y[threadIdx.x] = 1.0f;
}

/// A relaxed barrier publishes nothing, and the fence for what was initialised is missing.
__global__ void __cluster_dims__(2) not_published(float* y) {
  __shared__ uint64_t bar;
  const unsigned mine = (unsigned)__cvta_generic_to_shared(&bar);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(mine) : "memory");
  asm volatile("barrier.cluster.arrive.relaxed;\n barrier.cluster.wait;" ::: "memory");
  if (threadIdx.x == 0) {
    asm volatile("{.reg .b32 a; mapa.shared::cluster.u32 a, %0, %1; mbarrier.arrive.shared::cluster.b64 _, [a];}" ::"r"(mine), "r"(1 - blockIdx.x) : "memory");  // HERE race not_published: fence.mbarrier_init
  }
  y[blockIdx.x * 32 + threadIdx.x] = 1.0f;
  asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
}

__global__ void plain(float* y) {
  y[blockIdx.x] = 1.0f;
}

extern "C" void plant_cluster_race() {
  unordered<<<2, 32>>>(filled(64));
}
extern "C" void plant_cluster_writes() {
  block_barrier<<<2, 32>>>(filled(64));
}
extern "C" void plant_cluster_left() {
  no_last_sync<<<8, 32>>>(filled(256));
}
extern "C" void plant_cluster_end() {
  past_end<<<2, 32>>>(filled(64));
}
extern "C" void plant_cluster_unwritten() {
  never_written<<<2, 32>>>(filled(64));
}
extern "C" void plant_cluster_rank() {
  no_such_rank<<<2, 32>>>(filled(64));
}
extern "C" void plant_cluster_early() {
  not_begun<<<2, 32>>>(filled(64));
}
extern "C" void plant_cluster_waits() {
  one_waits<<<2, 32>>>(filled(64));
}
extern "C" void plant_not_published() {
  not_published<<<2, 32>>>(filled(64));
}
extern "C" void plant_cluster_grid() {
  unordered<<<3, 32>>>(filled(96));  // HERE invalid_launch cluster_grid: do not divide
}
extern "C" void plant_cluster_size() {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 16;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = dim3(32);
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, plain, filled(32));  // HERE invalid_launch cluster_size: limit is 8
}
