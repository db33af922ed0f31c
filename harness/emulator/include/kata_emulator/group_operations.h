#pragma once
#pragma GCC system_header
// What cooperative groups reduce and scan by.

#include "../cooperative_groups.h"

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device begin
#endif

namespace cooperative_groups {

template <class T = void>
struct plus {
  __KATA_INLINE T operator()(T a, T b) const { return a + b; }
};
template <class T = void>
struct less {
  __KATA_INLINE T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T = void>
struct greater {
  __KATA_INLINE T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T = void>
struct bit_and {
  __KATA_INLINE T operator()(T a, T b) const { return a & b; }
};
template <class T = void>
struct bit_or {
  __KATA_INLINE T operator()(T a, T b) const { return a | b; }
};
template <class T = void>
struct bit_xor {
  __KATA_INLINE T operator()(T a, T b) const { return a ^ b; }
};

}  // namespace cooperative_groups

#ifdef __KATA_EDITOR
#pragma clang force_cuda_host_device end
#endif
