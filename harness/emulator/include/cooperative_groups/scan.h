#pragma once
#pragma GCC system_header
// Scans over a tile or a coalesced group, in the order of the threads' ranks.

#include "../kata_emulator/letters_begin.h"

#include "../kata_emulator/group_operations.h"

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device begin
#endif

namespace cooperative_groups {

/// Each thread gets the result for the values up to its own.
template <class Group, class T, class Operation>
__KATA_INLINE T inclusive_scan(const Group& group, T value, Operation operation) {
  const unsigned rank = group.thread_rank();
  for (unsigned distance = 1; distance < group.size(); distance *= 2) {
    const T before = group.shfl_up(value, distance);
    if (rank >= distance) value = operation(before, value);
  }
  return value;
}
template <class Group, class T>
__KATA_INLINE T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}

/// For the values before its own: the first thread gets T().
template <class Group, class T, class Operation>
__KATA_INLINE T exclusive_scan(const Group& group, T value, Operation operation) {
  const T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T>
__KATA_INLINE T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device end
#endif

#include "../kata_emulator/letters_end.h"
