#pragma once
#pragma GCC system_header
// Asynchronous copies from global to shared memory, as C functions.

#include "kata_emulator/letters_begin.h"

#include "cuda_runtime.h"
#include "kata_emulator/async_copy.h"

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device begin
#endif

/// `bytes` is 4, 8 or 16; the last `zeros` of them are not read but zero.
static __KATA_INLINE void __pipeline_memcpy_async(void* __restrict__ to,
                                                  const void* __restrict__ from, size_t bytes,
                                                  size_t zeros = 0) {
  assert((bytes == 4 || bytes == 8 || bytes == 16) && zeros <= bytes);
  __kata_copy_async(to, from, (unsigned)bytes, (unsigned)(bytes - zeros));
}
static __KATA_INLINE void __pipeline_commit() {
  __kata_copy_commit();
}
static __KATA_INLINE void __pipeline_wait_prior(size_t groups_left) {
  __kata_copy_wait((unsigned)groups_left);
}

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device end
#endif

#include "kata_emulator/letters_end.h"
