#pragma once
// Tiles of halves that tensor copies arrange for wgmma: 64 rows of A and 8 columns of B, each with
// `width` neighbours along K. Macros, so that a finding is at the line that uses them.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cuda/ptx>

#include "../../gpu/wgmma_forms.cuh"
#include "filled.cuh"
#include "phases.cuh"

/// Of a K-major tile whose rows are as long as the swizzle's span. The swizzle's number is that of
/// CUtensorMapSwizzle, which the descriptor counts the other way round.
__device__ uint64_t descriptor_of(const void* tile, int swizzle) {
  const uint64_t start = ((unsigned)__cvta_generic_to_shared(tile) & 0x3ffff) >> 4;
  const uint64_t stride = 8 * (16 << swizzle) >> 4;
  return start | uint64_t{1} << 16 | stride << 32 | (uint64_t)((4 - swizzle) & 3) << 62;
}
#define LOAD_TILE(to, map, bar)                                                                  \
  cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_cluster, cuda::ptx::space_global, to, &map,   \
                                  {0, 0}, bar)
#define MULTIPLY(d, a, b)                                                      \
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                      \
  WGMMA_4_FLOAT("m64n8k16.f32.f16.f16", d, a, b, 1, ", 1, 1, 0, 0");           \
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");               \
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory")

/// A tensor of `rows` x 64 halves, in boxes of all rows and as many columns as the swizzle spans.
inline CUtensorMap map_of(int rows, CUtensorMapSwizzle swizzle) {
  CUtensorMap map{};
  const cuuint64_t dims[] = {64, (cuuint64_t)rows}, strides[] = {128};
  const cuuint32_t box[] = {8u << swizzle, (cuuint32_t)rows}, steps[] = {1, 1};
  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, filled<unsigned short>(rows * 64),
                         dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                         CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}
