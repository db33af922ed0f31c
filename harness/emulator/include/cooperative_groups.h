#pragma once
#pragma GCC system_header
// Cooperative groups: thread_block, tiles, coalesced groups and the grid.

#include "cuda_runtime.h"

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

/// What tiles and coalesced groups share: some lanes of a warp, by mask.
class __lanes : public thread_group {
 public:
  explicit __KATA_INLINE __lanes(unsigned mask) : thread_group(mask) {}
  __KATA_INLINE unsigned size() const { return __popc(mask_); }
  __KATA_INLINE unsigned num_threads() const { return size(); }
  __KATA_INLINE unsigned thread_rank() const {
    return __popc(mask_ & __detail::lanes_below(__detail::thread_rank() % 32));
  }
  __KATA_INLINE void sync() const { __syncwarp(mask_); }
  __KATA_INLINE int any(int predicate) const { return __any_sync(mask_, predicate); }
  __KATA_INLINE int all(int predicate) const { return __all_sync(mask_, predicate); }
  /// Bits by rank in the group, not by lane.
  __KATA_INLINE unsigned ballot(int predicate) const {
    return pack(__ballot_sync(mask_, predicate));
  }
  template <class T>
  __KATA_INLINE unsigned match_any(T value) const {
    return pack(__match_any_sync(mask_, value));
  }
  template <class T>
  __KATA_INLINE unsigned match_all(T value, int& predicate) const {
    return pack(__match_all_sync(mask_, value, &predicate));
  }
  template <class T>
  __KATA_INLINE T shfl(T value, int rank) const {
    return from(value, lane_of((unsigned)rank % size()));
  }
  template <class T>
  __KATA_INLINE T shfl_down(T value, unsigned delta) const {
    const unsigned source = thread_rank() + delta;
    return from(value, lane_of(source < size() ? source : thread_rank()));
  }
  template <class T>
  __KATA_INLINE T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return from(value, lane_of(rank >= delta ? rank - delta : rank));
  }
  template <class T>
  __KATA_INLINE T shfl_xor(T value, unsigned lane_mask) const {
    const unsigned source = thread_rank() ^ lane_mask;
    return from(value, lane_of(source < size() ? source : thread_rank()));
  }

 private:
  template <class T>
  __KATA_INLINE T from(const T& value, int lane) const {
    return __detail::shuffled(
        value, [&](auto word)
                   __attribute__((always_inline)) { return __shfl_sync(mask_, word, lane); });
  }
  /// The lane of the thread of that rank.
  __KATA_INLINE int lane_of(unsigned rank) const {
    unsigned rest = mask_;
    while (rank-- > 0) rest &= rest - 1;
    return __ffs((int)rest) - 1;
  }
  __KATA_INLINE unsigned pack(unsigned lanes) const {
    unsigned packed = 0, rank = 0;
    for (unsigned rest = mask_; rest; rest &= rest - 1, ++rank) {
      packed |= (lanes & rest & -rest) ? 1u << rank : 0;
    }
    return packed;
  }
};

class coalesced_group : public __lanes {
 public:
  explicit __KATA_INLINE coalesced_group(unsigned mask, unsigned rank = 0, unsigned of = 1)
      : __lanes(mask), rank_(rank), of_(of) {}
  __KATA_INLINE unsigned meta_group_rank() const { return rank_; }
  __KATA_INLINE unsigned meta_group_size() const { return of_; }

 private:
  unsigned rank_, of_;
};

#define coalesced_threads() __from_mask(__activemask())
static __KATA_INLINE coalesced_group __from_mask(unsigned mask) {
  return coalesced_group(mask);
}

/// N neighbouring threads, N a power of two.
template <unsigned N, class Parent = thread_block, bool several_warps = (N > 32)>
class thread_block_tile;

/// Lanes of a warp.
template <unsigned N, class Parent>
class thread_block_tile<N, Parent, false> {
  static_assert(N >= 1 && (N & (N - 1)) == 0, "the size of a tile is a power of two");

 public:
  __KATA_INLINE operator thread_group() const { return thread_group(__mask()); }
  static __KATA_INLINE unsigned __mask() {
    const unsigned lanes = N == 32 ? 0xffffffffu : ((1u << (N % 32)) - 1) << first_lane();
    return lanes & __detail::lanes_of_warp();
  }
  static __KATA_INLINE unsigned thread_rank() { return __detail::thread_rank() % N; }
  static constexpr unsigned size() { return N; }
  static constexpr unsigned num_threads() { return N; }
  /// Which of the parent's tiles this one is, and how many there are.
  static __KATA_INLINE unsigned meta_group_rank() { return Parent::thread_rank() / N; }
  static __KATA_INLINE unsigned meta_group_size() { return (Parent::size() + N - 1) / N; }
  __KATA_INLINE void sync() const { __syncwarp(__mask()); }
  __KATA_INLINE int any(int predicate) const { return __any_sync(__mask(), predicate); }
  __KATA_INLINE int all(int predicate) const { return __all_sync(__mask(), predicate); }
  __KATA_INLINE unsigned ballot(int predicate) const {
    return __ballot_sync(__mask(), predicate) >> first_lane();
  }
  template <class T>
  __KATA_INLINE unsigned match_any(T value) const {
    return __match_any_sync(__mask(), value) >> first_lane();
  }
  template <class T>
  __KATA_INLINE unsigned match_all(T value, int& predicate) const {
    return __match_all_sync(__mask(), value, &predicate) >> first_lane();
  }
  template <class T>
  __KATA_INLINE T shfl(T value, int rank) const {
    return __detail::shuffled(
        value, [&](auto word)
                   __attribute__((always_inline)) { return __shfl_sync(__mask(), word, rank, N); });
  }
  template <class T>
  __KATA_INLINE T shfl_down(T value, unsigned delta) const {
    return __detail::shuffled(
        value, [&](auto word) __attribute__((always_inline)) {
          return __shfl_down_sync(__mask(), word, delta, N);
        });
  }
  template <class T>
  __KATA_INLINE T shfl_up(T value, unsigned delta) const {
    return __detail::shuffled(
        value, [&](auto word) __attribute__((always_inline)) {
          return __shfl_up_sync(__mask(), word, delta, N);
        });
  }
  template <class T>
  __KATA_INLINE T shfl_xor(T value, unsigned lane_mask) const {
    return __detail::shuffled(
        value, [&](auto word) __attribute__((always_inline)) {
          return __shfl_xor_sync(__mask(), word, (int)lane_mask, N);
        });
  }

 private:
  static __KATA_INLINE unsigned first_lane() { return __detail::thread_rank() % 32 / N * N; }
};

/// Several warps, which meet at a barrier of their own.
template <unsigned N, class Parent>
class thread_block_tile<N, Parent, true> {
  static_assert(N <= 1024 && (N & (N - 1)) == 0, "the size of a tile is a power of two up to 1024");

 public:
  static __KATA_INLINE unsigned thread_rank() { return __detail::thread_rank() % N; }
  static constexpr unsigned size() { return N; }
  static constexpr unsigned num_threads() { return N; }
  static __KATA_INLINE unsigned meta_group_rank() { return Parent::thread_rank() / N; }
  static __KATA_INLINE unsigned meta_group_size() { return (Parent::size() + N - 1) / N; }
  static void sync() { __kata_tile_sync(number(), threads()); }
  template <class T>
  static T shfl(const T& value, int rank) {
    return from(value, (unsigned)rank % N);
  }
  template <class T>
  static T shfl_down(const T& value, unsigned delta) {
    return from(value, thread_rank() + delta);
  }
  template <class T>
  static T shfl_up(const T& value, unsigned delta) {
    return from(value, thread_rank() >= delta ? thread_rank() - delta : thread_rank());
  }
  template <class T>
  static T shfl_xor(const T& value, unsigned mask) {
    return from(value, thread_rank() ^ mask);
  }
  static int any(int predicate) {
    for (unsigned distance = N / 2; distance > 0; distance /= 2)
      predicate |= shfl_xor(predicate, distance);
    return predicate != 0;
  }
  static int all(int predicate) { return !any(!predicate); }

 private:
  static __KATA_INLINE unsigned number() { return 1024 / N + __detail::thread_rank() / N; }
  /// The block's last tile may be short of some.
  static __KATA_INLINE unsigned threads() {
    const unsigned left = thread_block::size() - __detail::thread_rank() / N * N;
    return left < N ? left : N;
  }
  template <class T>
  static T from(const T& value, unsigned source) {
    static_assert(sizeof(T) <= 32, "a group's shuffles take at most 32 bytes");
    T result = value;
    __kata_tile_exchange(number(), threads(), thread_rank(), source, &value, &result, sizeof(T));
    return result;
  }
};

/// What a device of compute capability below 8.0 needs for tiles of several warps; the emulator
/// keeps what they exchange elsewhere.
template <unsigned most_threads = 1024>
struct block_tile_memory {
  char __reserved[most_threads / 4];
};
template <unsigned most_threads>
__KATA_INLINE thread_block this_thread_block(block_tile_memory<most_threads>&) {
  return thread_block();
}

template <unsigned N>
__KATA_INLINE thread_block_tile<N, thread_block> tiled_partition(const thread_block&) {
  return {};
}
template <unsigned N, unsigned M, class Parent>
__KATA_INLINE thread_block_tile<N, thread_block_tile<M, Parent>> tiled_partition(
    const thread_block_tile<M, Parent>&) {
  static_assert(N <= M, "a tile cannot be larger than the group that it divides");
  return {};
}
/// The forms with the size at run time: threads of neighbouring ranks.
static __KATA_INLINE coalesced_group tiled_partition(const coalesced_group& group, unsigned size) {
  const unsigned part = group.thread_rank() / size;
  unsigned lanes = 0, rank = 0;
  for (unsigned rest = group.__mask(); rest; rest &= rest - 1, ++rank) {
    lanes |= rank / size == part ? rest & -rest : 0;
  }
  return coalesced_group(lanes, part, (group.size() + size - 1) / size);
}
static __KATA_INLINE thread_group tiled_partition(const thread_group& group, unsigned size) {
  return tiled_partition(coalesced_group(group.__mask()), size);
}

/// The threads of a tile or a coalesced group that have this thread's label.
template <class Group, class Label>
__KATA_INLINE coalesced_group labeled_partition(const Group& group, Label label) {
  const unsigned lanes = __match_any_sync(group.__mask(), label);
  const unsigned before = __detail::lanes_below(__detail::thread_rank() % 32);
  const unsigned first = __ballot_sync(group.__mask(), (lanes & before) == 0);  // of each part
  const unsigned before_mine = __detail::lanes_below(__ffs((int)lanes) - 1);
  return coalesced_group(lanes, __popc(first & before_mine), __popc(first));
}
template <class Group>
__KATA_INLINE coalesced_group binary_partition(const Group& group, bool predicate) {
  return labeled_partition(group, (int)predicate);
}

template <class Group>
__KATA_INLINE void sync(const Group& group) {
  group.sync();
}
template <class Group>
__KATA_INLINE auto thread_rank(const Group& group) -> decltype(group.thread_rank()) {
  return group.thread_rank();
}
template <class Group>
__KATA_INLINE auto group_size(const Group& group) -> decltype(group.num_threads()) {
  return group.num_threads();
}

}  // namespace cooperative_groups

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device end
#endif
