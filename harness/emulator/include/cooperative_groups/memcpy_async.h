#pragma once
#pragma GCC system_header
// memcpy_async() by a group, and the waits for it.

#include "../kata_emulator/letters_begin.h"

#include <cuda/barrier>  // libcu++'s own, where a program uses the toolkit's CUB
#include "../cooperative_groups.h"
#include "../kata_emulator/async_copy.h"

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device begin
#endif

namespace cooperative_groups {

template <class Group, class T, class Size>
__KATA_INLINE void memcpy_async(const Group& group, T* to, const T* from, const Size& bytes) {
  ::__kata::copy_async(to, from, (size_t)bytes, group.thread_rank(), group.size());
  __kata_copy_commit();
}
/// As many elements as both layouts have.
template <class Group, class T, class To, class From>
__KATA_INLINE void memcpy_async(const Group& group, T* to, const To& to_count, const T* from,
                                const From& from_count) {
  const size_t count =
      (size_t)to_count < (size_t)from_count ? (size_t)to_count : (size_t)from_count;
  ::__kata::copy_async(to, from, count * sizeof(T), group.thread_rank(), group.size());
  __kata_copy_commit();
}

namespace __detail {

static __KATA_INLINE void sync_at(const thread_block& block, const char* file, int line) {
  block.sync(file, line);
}
template <class Group>
__KATA_INLINE void sync_at(const Group& group, const char*, int) {
  group.sync();
}

}  // namespace __detail

/// All but the `groups_left` copies made last have arrived, for the whole group.
template <unsigned groups_left, class Group>
__KATA_INLINE void wait_prior(const Group& group, const char* file = __builtin_FILE(),
                              int line = __builtin_LINE()) {
  __kata_copy_wait(groups_left);
  __detail::sync_at(group, file, line);
}
template <class Group>
__KATA_INLINE void wait(const Group& group, const char* file = __builtin_FILE(),
                        int line = __builtin_LINE()) {
  __kata_copy_wait(0);
  __detail::sync_at(group, file, line);
}

}  // namespace cooperative_groups

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device end
#endif

#include "../kata_emulator/letters_end.h"
