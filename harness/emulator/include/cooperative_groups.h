#pragma once
#pragma GCC system_header
// Cooperative groups: thread_block, tiles, coalesced groups and the grid.

#include "kata_emulator/letters_begin.h"

#include "kata_emulator/grid_groups.h"
#include "kata_emulator/thread_groups.h"
#include "kata_emulator/tile_groups.h"

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device begin
#endif

namespace cooperative_groups {

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

#include "kata_emulator/letters_end.h"
