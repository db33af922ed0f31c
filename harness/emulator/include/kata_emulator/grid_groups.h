#pragma once
#pragma GCC system_header
// Of cooperative groups: the grid and the cluster.

#include "thread_groups.h"

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device begin
#endif

namespace cooperative_groups {

class grid_group {
 public:
  static void sync() { __kata_grid_sync(); }
  static bool is_valid() { return true; }
  static __KATA_INLINE unsigned long long thread_rank() {
    return __detail::block_rank() * thread_block::size() + __detail::thread_rank();
  }
  static __KATA_INLINE unsigned long long num_blocks() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  static __KATA_INLINE unsigned long long size() { return num_blocks() * thread_block::size(); }
  static __KATA_INLINE unsigned long long num_threads() { return size(); }
  static __KATA_INLINE unsigned long long block_rank() { return __detail::block_rank(); }
  static __KATA_INLINE dim3 group_dim() { return gridDim; }
  static __KATA_INLINE dim3 dim_blocks() { return gridDim; }
  static __KATA_INLINE dim3 block_index() { return blockIdx; }
};

static __KATA_INLINE grid_group this_grid() {
  return grid_group();
}

/// The blocks of a cluster, which may use each other's shared memory. A kernel that asks for no
/// cluster has clusters of one block.
class cluster_group {
 public:
  struct arrival_token {};
  static void sync(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    __kata_cluster_arrive();
    __kata_cluster_wait(file, line);
  }
  static arrival_token barrier_arrive() {
    __kata_cluster_arrive();
    return {};
  }
  static void barrier_wait(arrival_token&& = {}, const char* file = __builtin_FILE(),
                           int line = __builtin_LINE()) {
    __kata_cluster_wait(file, line);
  }
  /// Where the block of that rank has what this block has at `variable`.
  template <class T>
  static T* map_shared_rank(T* variable, int rank) {
    return (T*)__kata_cluster_map((const void*)variable, (unsigned)rank);
  }
  static unsigned query_shared_rank(const void* pointer) { return __kata_cluster_rank(pointer); }
  static dim3 dim_blocks() {
    const uint3 shape = __kata_cluster_shape();
    return dim3(shape.x, shape.y, shape.z);
  }
  static dim3 block_index() {
    const dim3 of = dim_blocks();
    return dim3(blockIdx.x % of.x, blockIdx.y % of.y, blockIdx.z % of.z);
  }
  static unsigned block_rank() {
    const dim3 of = dim_blocks(), index = block_index();
    return index.x + of.x * (index.y + of.y * index.z);
  }
  static unsigned num_blocks() {
    const dim3 of = dim_blocks();
    return of.x * of.y * of.z;
  }
  static unsigned thread_rank() {
    return block_rank() * thread_block::size() + __detail::thread_rank();
  }
  static unsigned num_threads() { return num_blocks() * thread_block::size(); }
  static unsigned size() { return num_threads(); }
  static dim3 thread_index() {
    const dim3 index = block_index();
    return dim3(index.x * blockDim.x + threadIdx.x, index.y * blockDim.y + threadIdx.y,
                index.z * blockDim.z + threadIdx.z);
  }
  static dim3 dim_threads() {
    const dim3 of = dim_blocks();
    return dim3(of.x * blockDim.x, of.y * blockDim.y, of.z * blockDim.z);
  }
};

static __KATA_INLINE cluster_group this_cluster() {
  return cluster_group();
}

}  // namespace cooperative_groups

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device end
#endif
