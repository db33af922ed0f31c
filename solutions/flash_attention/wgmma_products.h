#pragma once
// The two products of attention on wgmma: float sums of halves, 64 queries by a warpgroup.
// ../common/wgmma.h has the layout of D, and what must be waited for.

#include "../common/wgmma.h"

// The registers of D, in the code and as operands.
#define NUMBERS_32 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NUMBERS_64 \
  NUMBERS_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define NUMBERS_80 \
  NUMBERS_64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"
#define SUMS_8(d, i) \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
#define SUMS_16(d, i) SUMS_8(d, i), SUMS_8(d, i + 8)
#define SUMS_32(d, i) SUMS_16(d, i), SUMS_16(d, i + 16)

// D (+)= A B for 16 columns of Q and of 128 keys: both in shared memory, K along the rows.
__device__ __forceinline__ void multiply(float (&d)[64], uint64_t a, uint64_t b, bool add) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %66, 0;"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" NUMBERS_64
      "}, %64, %65, p, 1, 1, 0, 0;}"
      : SUMS_32(d, 0), SUMS_32(d, 32)
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

// The same for 160 keys.
__device__ __forceinline__ void multiply(float (&d)[80], uint64_t a, uint64_t b, bool add) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %82, 0;"
      "wgmma.mma_async.sync.aligned.m64n160k16.f32.f16.f16 {" NUMBERS_80
      "}, %80, %81, p, 1, 1, 0, 0;}"
      : SUMS_32(d, 0), SUMS_32(d, 32), SUMS_16(d, 64)
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

// D += A B for 16 keys. A comes from registers, in the layout of mma.sync: register r holds two
// elements of row 8 (r % 2), from column 8 (r / 2) + 2 (lane % 4) on. B has the head's dimensions
// along its rows.
__device__ __forceinline__ void multiply_add(float (&d)[32], const uint32_t (&a)[4], uint64_t b) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, 1, 0;"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" NUMBERS_32
      "}, {%32, %33, %34, %35}, %36, p, 1, 1, 1;}"
      : SUMS_32(d, 0)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

__device__ __forceinline__ void multiply_add(float (&d)[64], const uint32_t (&a)[4], uint64_t b) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, 1, 0;"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" NUMBERS_64
      "}, {%64, %65, %66, %67}, %68, p, 1, 1, 1;}"
      : SUMS_32(d, 0), SUMS_32(d, 32)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
