#pragma once
#pragma GCC system_header
// Of cooperative groups: the block, and any group of its threads.

#include "../cuda_runtime.h"

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device begin
#endif

namespace cooperative_groups {

namespace __detail {

static __KATA_INLINE unsigned thread_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
static __KATA_INLINE unsigned long long block_rank() {
  return blockIdx.x +
         (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
}
static __KATA_INLINE unsigned lanes_below(unsigned lane) {
  return (1u << lane) - 1;
}
/// The lanes that this thread's warp has: the block's last warp may be short of some.
static __KATA_INLINE unsigned lanes_of_warp() {
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned here = threads - thread_rank() / 32 * 32;
  return here >= 32 ? 0xffffffffu : lanes_below(here);
}

/// What a group's shuffles take: as nvcc has it, any plain type of up to 32 bytes. `shuffle` hands
/// on 4 or 8 bytes.
template <class T, class Shuffle>
__KATA_INLINE T shuffled(const T& value, const Shuffle& shuffle) {
  static_assert(sizeof(T) <= 32, "a group's shuffles take at most 32 bytes");
  if constexpr (sizeof(T) == 8) {
    return ::__kata::from_bits<T>(shuffle(::__kata::to_bits(value)));
  } else {
    unsigned words[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(words, (const void*)&value, sizeof(T));
    for (unsigned& word : words) word = shuffle(word);
    T result;
    __builtin_memcpy((void*)&result, words, sizeof(T));
    return result;
  }
}

}  // namespace __detail

/// Any group of a block's threads: the block, or some lanes of a warp.
class thread_group {
 public:
  __KATA_INLINE unsigned long long size() const {
    return mask_ ? (unsigned)__popc(mask_) : blockDim.x * blockDim.y * blockDim.z;
  }
  __KATA_INLINE unsigned long long num_threads() const { return size(); }
  __KATA_INLINE unsigned long long thread_rank() const {
    const unsigned rank = __detail::thread_rank();
    return mask_ ? (unsigned)__popc(mask_ & __detail::lanes_below(rank % 32)) : rank;
  }
  __KATA_INLINE void sync(const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    if (mask_) {
      __syncwarp(mask_);
    } else {
      __kata_barrier(::__kata::barrier_sync, 0, file, line);
    }
  }
  __KATA_INLINE unsigned __mask() const { return mask_ ? mask_ : __detail::lanes_of_warp(); }

 protected:
  explicit __KATA_INLINE thread_group(unsigned mask) : mask_(mask) {}
  unsigned mask_;  ///< of lanes; 0: the whole block

  template <unsigned N, class Parent, bool several_warps>
  friend class thread_block_tile;
};

class thread_block : public thread_group {
 public:
  __KATA_INLINE thread_block() : thread_group(0) {}
  static void sync(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    __kata_barrier(::__kata::barrier_sync, 0, file, line);
  }
  static __KATA_INLINE unsigned thread_rank() { return __detail::thread_rank(); }
  static __KATA_INLINE unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static __KATA_INLINE unsigned num_threads() { return size(); }
  static __KATA_INLINE dim3 group_index() { return blockIdx; }
  static __KATA_INLINE dim3 thread_index() { return threadIdx; }
  static __KATA_INLINE dim3 group_dim() { return blockDim; }
  static __KATA_INLINE dim3 dim_threads() { return blockDim; }
};

static __KATA_INLINE thread_block this_thread_block() {
  return thread_block();
}

}  // namespace cooperative_groups

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device end
#endif
