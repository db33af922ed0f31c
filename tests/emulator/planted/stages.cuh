#pragma once
// A stage that bulk copies fill and a warpgroup multiplies, again and again. Macros, so that a finding is
// at the line that uses them.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cuda/ptx>

#include "../../gpu/wgmma_forms.cuh"
#include "filled.cuh"
#include "phases.cuh"

/// A (64 x 16) and B (16 x 8) in halves, K-major and not swizzled.
struct Stage {
  unsigned short a[64 * 16], b[16 * 8];
};
constexpr unsigned stage_bytes = sizeof(Stage);

__device__ inline uint64_t descriptor_of(const void* tile, int leading) {
  return ((unsigned)__cvta_generic_to_shared(tile) & 0x3ffff) >> 4 |
         (uint64_t)(leading >> 4) << 16 | (uint64_t)(128 >> 4) << 32;
}
#define EXPECT_STAGE(bar)                                                            \
  cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta, \
                                       cuda::ptx::space_shared, bar, stage_bytes);
#define LOAD_STAGE(stage, x, bar)                                                             \
  cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, &stage, x,      \
                           stage_bytes, bar)
#define LOAD_STAGE_FOR_ALL(stage, x, bar)                                                     \
  cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, &stage, x,      \
                           stage_bytes, bar, 3)
#define START_PRODUCT(d, stage)                                                               \
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                     \
  WGMMA_4_FLOAT("m64n8k16.f32.f16.f16", d, descriptor_of(stage.a, 1024),                      \
                descriptor_of(stage.b, 128), 1, ", 1, 1, 0, 0");                              \
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WAIT_FOR_PRODUCT() asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory")
