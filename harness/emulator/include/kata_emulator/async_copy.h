#pragma once
#pragma GCC system_header
// What the ways to copy asynchronously share: one thread's part in a copy by a group.

#include <string.h>

#include "abi.h"

namespace __kata {

/// Pieces of the widest size that both addresses and the length allow; thread `rank` of `threads`
/// takes every `threads`th. A device copies what is not aligned to 4 bytes at once.
__KATA_INLINE void copy_async(void* to, const void* from, size_t bytes, size_t rank,
                              size_t threads) {
  const size_t odd = ((size_t)to | (size_t)from | bytes) & 15;
  const size_t piece = odd == 0 ? 16 : odd % 8 == 0 ? 8 : odd % 4 == 0 ? 4 : 1;
  for (size_t i = rank * piece; i < bytes; i += threads * piece) {
    if (piece == 1) {
      ((char*)to)[i] = ((const char*)from)[i];
    } else {
      __kata_copy_async((char*)to + i, (const char*)from + i, (unsigned)piece, (unsigned)piece);
    }
  }
}

}  // namespace __kata
