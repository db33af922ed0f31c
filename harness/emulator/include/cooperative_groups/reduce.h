#pragma once
#pragma GCC system_header
// reduce() over a tile or a coalesced group.

#include "../kata_emulator/letters_begin.h"

#include "../kata_emulator/group_operations.h"

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device begin
#endif

namespace cooperative_groups {

/// A butterfly: every thread gets the result.
template <unsigned N, class Parent, bool several_warps, class T, class Operation>
__KATA_INLINE T reduce(const thread_block_tile<N, Parent, several_warps>& group, T value,
                       Operation operation) {
  for (unsigned distance = N / 2; distance > 0; distance /= 2) {
    value = operation(value, group.shfl_xor(value, distance));
  }
  return value;
}

/// Groups of any size: rank 0 gathers by halving, then hands the result round.
template <class T, class Operation>
__KATA_INLINE T reduce(const coalesced_group& group, T value, Operation operation) {
  const unsigned rank = group.thread_rank();
  for (unsigned size = group.size(); size > 1; size = (size + 1) / 2) {
    const unsigned half = (size + 1) / 2;
    const T other = group.shfl_down(value, half);
    if (rank + half < size) value = operation(value, other);
  }
  return group.shfl(value, 0);
}

}  // namespace cooperative_groups

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device end
#endif

#include "../kata_emulator/letters_end.h"
