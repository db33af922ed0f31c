// No #pragma once: <assert.h> may be included again with another NDEBUG.
#pragma GCC system_header
// assert() that works in kernels.
#include_next <assert.h>

#if !defined(NDEBUG) && !defined(__KATA_EDITOR)
#include "kata_emulator/abi.h"

#undef assert
#define assert(...)               \
  (static_cast<bool>(__VA_ARGS__) \
       ? void(0)                  \
       : __kata_assert_failed(#__VA_ARGS__, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
