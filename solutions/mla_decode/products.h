#pragma once
// The products of latent attention on wgmma: float sums of bf16, 64 heads by a warpgroup.
// ../common/wgmma.h has the layout of D, and what must be waited for.

#include "../flash_attention/wgmma_products.h"

#define NUMBERS_128 \
  NUMBERS_80 ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

// D (+)= A B for 16 elements of 64 queries and of 64 keys: K along the rows of both.
__device__ __forceinline__ void multiply_keys(float (&d)[32], uint64_t a, uint64_t b, bool add) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %34, 0;"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" NUMBERS_32
      "}, %32, %33, p, 1, 1, 0, 0;}"
      : SUMS_32(d, 0)
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

// The same with A in registers, in the layout of mma.sync.
__device__ __forceinline__ void multiply_keys(float (&d)[32], const uint32_t (&a)[4], uint64_t b,
                                              bool add) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %37, 0;"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" NUMBERS_32
      "}, {%32, %33, %34, %35}, %36, p, 1, 1, 0;}"
      : SUMS_32(d, 0)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<int>(add)));
}

// D += A B for 16 keys and 256 columns of their values: B has the columns along its rows.
__device__ __forceinline__ void add_values(float (&d)[128], const uint32_t (&a)[4], uint64_t b) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, 1, 0;"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" NUMBERS_128
      "}, {%128, %129, %130, %131}, %132, p, 1, 1, 1;}"
      : SUMS_32(d, 0), SUMS_32(d, 32), SUMS_32(d, 64), SUMS_32(d, 96)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// The same with A in shared memory.
__device__ __forceinline__ void add_values(float (&d)[128], uint64_t a, uint64_t b) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, 1, 0;"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" NUMBERS_128
      "}, %128, %129, p, 1, 1, 0, 1;}"
      : SUMS_32(d, 0), SUMS_32(d, 32), SUMS_32(d, 64), SUMS_32(d, 96)
      : "l"(a), "l"(b));
}
