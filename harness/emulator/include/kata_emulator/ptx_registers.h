#pragma once
#pragma GCC system_header
// cuda::ptx::get_sreg_*: special registers as functions. Part of <cuda/ptx>, whose macros it uses.

namespace cuda {
namespace ptx {

#define __KATA_REGISTER(T, type, name, text)                     \
  static __KATA_INLINE T get_sreg_##name() {                     \
    T value;                                                     \
    __KATA_RUN("mov." type " %0, " text ";", __KATA_OUT(value)); \
    return value;                                                \
  }
#define __KATA_WORD(name) __KATA_REGISTER(uint32_t, "u32", name, "%" #name)
#define __KATA_LONG(name) __KATA_REGISTER(uint64_t, "u64", name, "%" #name)
#define __KATA_TRIPLE(name)                                  \
  __KATA_REGISTER(uint32_t, "u32", name##_x, "%" #name ".x") \
  __KATA_REGISTER(uint32_t, "u32", name##_y, "%" #name ".y") \
  __KATA_REGISTER(uint32_t, "u32", name##_z, "%" #name ".z")
__KATA_TRIPLE(tid)
__KATA_TRIPLE(ntid)
__KATA_TRIPLE(ctaid)
__KATA_TRIPLE(nctaid)
__KATA_TRIPLE(clusterid)
__KATA_TRIPLE(nclusterid)
__KATA_TRIPLE(cluster_ctaid)
__KATA_TRIPLE(cluster_nctaid)
__KATA_WORD(cluster_ctarank)
__KATA_WORD(cluster_nctarank)
__KATA_WORD(laneid)
__KATA_WORD(warpid)
__KATA_WORD(nwarpid)
__KATA_WORD(smid)
__KATA_WORD(nsmid)
__KATA_LONG(gridid)
__KATA_WORD(lanemask_eq)
__KATA_WORD(lanemask_le)
__KATA_WORD(lanemask_lt)
__KATA_WORD(lanemask_ge)
__KATA_WORD(lanemask_gt)
__KATA_WORD(clock)
__KATA_WORD(clock_hi)
__KATA_LONG(clock64)
__KATA_LONG(globaltimer)
__KATA_WORD(globaltimer_lo)
__KATA_WORD(globaltimer_hi)
__KATA_WORD(dynamic_smem_size)
#undef __KATA_TRIPLE
#undef __KATA_LONG
#undef __KATA_WORD
#undef __KATA_REGISTER

static __KATA_INLINE bool get_sreg_is_explicit_cluster() {
  uint32_t value;
  __KATA_RUN("{ .reg .pred p; mov.pred p, %is_explicit_cluster; selp.u32 %0, 1, 0, p; }",
             __KATA_OUT(value));
  return value != 0;
}

}  // namespace ptx
}  // namespace cuda
