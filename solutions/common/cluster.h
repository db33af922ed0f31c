#pragma once
// Clusters: CLUSTER blocks that run at the same time on neighbouring SMs and can read each other's
// shared memory. Needs compute capability 9.0; CLUSTER == 1 runs everywhere.

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <stdio.h>

template <int CLUSTER>
__device__ int cluster_rank() {
#if __CUDA_ARCH__ >= 900
  if (CLUSTER > 1) return cooperative_groups::this_cluster().block_rank();
#endif
  return 0;
}

// Returns when all blocks of the cluster have arrived: until then a block must not end, because the
// others still read its shared memory.
template <int CLUSTER>
__device__ void cluster_wait() {
#if __CUDA_ARCH__ >= 900
  if (CLUSTER > 1) cooperative_groups::this_cluster().barrier_wait();
#endif
}

inline bool has_clusters() {
  static const bool found = [] {
    int device = 0;
    int major = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    return major >= 9;
  }();
  return found;
}

template <class... Parameters, class... Arguments>
void launch_clusters(int cluster, int grid, int block, int shared_bytes,
                     void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchAttribute size = {};
  size.id = cudaLaunchAttributeClusterDimension;
  size.val.clusterDim.x = cluster;
  size.val.clusterDim.y = 1;
  size.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(grid);
  config.blockDim = dim3(block);
  config.dynamicSmemBytes = shared_bytes;
  config.attrs = &size;
  config.numAttrs = 1;
  const cudaError_t status = cudaLaunchKernelEx(&config, kernel, arguments...);
  if (status != cudaSuccess) fprintf(stderr, "cluster launch: %s\n", cudaGetErrorString(status));
}
