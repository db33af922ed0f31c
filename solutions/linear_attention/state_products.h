#pragma once
// The products of linear attention on wgmma that ../flash_attention/wgmma_products.h does not have:
// float sums of halves, 64 queries by a warpgroup, both operands in shared memory.

#include <stdint.h>

// The registers of D, in the code and as operands.
#define REGISTERS_32 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define REGISTERS_64 \
  REGISTERS_32 \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define ALL_8(d, i) \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
#define ALL_32(d, i) ALL_8(d, i), ALL_8(d, i + 8), ALL_8(d, i + 16), ALL_8(d, i + 24)

// D (+)= A B for 16 columns of Q and of 64 keys: K along the rows of both.
__device__ __forceinline__ void multiply(float (&d)[32], uint64_t a, uint64_t b, bool add) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %34, 0;"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" REGISTERS_32
      "}, %32, %33, p, 1, 1, 0, 0;}"
      : ALL_32(d, 0)
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

// D (+)= A B for 16 columns of Q and 16 rows of the state: N along the rows of B.
__device__ __forceinline__ void multiply_rows(float (&d)[32], uint64_t a, uint64_t b, bool add) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %34, 0;"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" REGISTERS_32
      "}, %32, %33, p, 1, 1, 0, 1;}"
      : ALL_32(d, 0)
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}
__device__ __forceinline__ void multiply_rows(float (&d)[64], uint64_t a, uint64_t b, bool add) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %66, 0;"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" REGISTERS_64
      "}, %64, %65, p, 1, 1, 0, 1;}"
      : ALL_32(d, 0), ALL_32(d, 32)
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}
