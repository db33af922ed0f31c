#pragma once
#pragma GCC system_header
// Of cooperative groups: coalesced threads and tiles of a block.

#include "thread_groups.h"

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device begin
#endif

namespace cooperative_groups {

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

}  // namespace cooperative_groups

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device end
#endif
