#pragma once
#pragma GCC system_header
// memcpy, memmove and memset as g++ must see them: a copy of up to 16 bytes is a register copy, as
// under nvcc; a longer one is a call that the emulator answers, for g++ would expand it in place
// where no instrumentation sees it. (clang++ calls the function by itself.)

#include <string.h>

#ifndef __clang__

extern "C" {
void* __kata_memcpy(void* to, const void* from, size_t bytes);
void* __kata_memmove(void* to, const void* from, size_t bytes);
void* __kata_memset(void* to, int value, size_t bytes);

#define __KATA_BLOCK extern inline __attribute__((always_inline, gnu_inline, artificial))
#define __KATA_BLOCK_FUNCTION(name, T)                               \
  __KATA_BLOCK void* name(void* to, T from, size_t bytes) noexcept { \
    if (__builtin_constant_p(bytes) && bytes <= 16) {                \
      return __builtin___##name##_chk(to, from, bytes, (size_t)-1);  \
    }                                                                \
    return __kata_##name(to, from, bytes);                           \
  }
__KATA_BLOCK_FUNCTION(memcpy, const void*)
__KATA_BLOCK_FUNCTION(memmove, const void*)
__KATA_BLOCK_FUNCTION(memset, int)
}

#endif
