#pragma once
// A part is a device's product of some rows. Where parts are in scratch memory, and how they are
// added.

#include <cuda_bf16.h>
#include <kata/kata.h>
#include <stdint.h>

/// Behind 64 KiB of flags: the device's own product [M, N], then a slot [M / gpus, N] for the part
/// of each device.
struct PartMemory {
  __nv_bfloat16 *own, *slots;

  PartMemory(void* scratch, int M, int N)
      : own(static_cast<__nv_bfloat16*>(scratch) + (32 << 10)),
        slots(own + static_cast<size_t>(M) * N) {}
};

/// Eight sums per thread, always in the same order: by device.
__global__ void sum_kernel(const __nv_bfloat16* slots, __nv_bfloat16* C, int64_t count, int gpus) {
  const int64_t first = 8 * (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x);
  if (first >= count) return;
  float sum[8] = {};
  if (count % 8 == 0) {
    __align__(16) __nv_bfloat16 eight[8];
    for (int g = 0; g < gpus; ++g) {
      *reinterpret_cast<uint4*>(eight) = *reinterpret_cast<const uint4*>(slots + g * count + first);
      for (int i = 0; i < 8; ++i) sum[i] += __bfloat162float(eight[i]);
    }
    for (int i = 0; i < 8; ++i) eight[i] = __float2bfloat16(sum[i]);
    *reinterpret_cast<uint4*>(C + first) = *reinterpret_cast<const uint4*>(eight);
  } else {
    for (int i = 0; i < 8 && first + i < count; ++i) {
      for (int g = 0; g < gpus; ++g) sum[i] += __bfloat162float(slots[g * count + first + i]);
      C[first + i] = __float2bfloat16(sum[i]);
    }
  }
}

/// C is [rows, N] on the current device.
inline void sum_parts(const __nv_bfloat16* slots, __nv_bfloat16* C, int rows, int N, int gpus,
                      cudaStream_t stream) {
  const int64_t count = static_cast<int64_t>(rows) * N;
  sum_kernel<<<kata::ceil_div(count, int64_t{8 * 256}), 256, 0, stream>>>(slots, C, count, gpus);
}
