#pragma once
// The warp's tensor core instructions: ldmatrix, and mma with 16 x 8 results.
//
// With group = lane / 4 and place = lane % 4, a lane holds of mma.m16n8k16 (two 16-bit elements in
// a register) and of mma.m16n8k32 (four bytes in a register)
//   A: register r: row group + 8 (r % 2), the 4 bytes at 16 (r / 2) + 4 place of that row along k
//   B: register r: column group, the 4 bytes at 16 r + 4 place of that column along k
//   D: value i:    row group + 8 (i / 2), column 2 place + i % 2
// (PTX ISA, "Matrix Fragments for mma.m16n8k16" and the following sections.)

#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Four matrices of 8 rows of 16 bytes; lane l passes the address of row l % 8 of matrix l / 8. A
// lane gets 4 bytes of each: those at 4 place of row `group`.
__device__ __forceinline__ void ldmatrix_x4(unsigned (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
}

// The same, each matrix of 8 x 8 16-bit elements transposed: elements 2 place and 2 place + 1 of
// column `group`.
__device__ __forceinline__ void ldmatrix_x4_trans(unsigned (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
}

// d += a b, for elements of type T.
template <class T>
__device__ __forceinline__ void multiply_add(float (&d)[4], const unsigned (&a)[4], unsigned b0,
                                             unsigned b1);

template <>
__device__ __forceinline__ void multiply_add<__half>(float (&d)[4], const unsigned (&a)[4],
                                                     unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

template <>
__device__ __forceinline__ void multiply_add<__nv_bfloat16>(float (&d)[4], const unsigned (&a)[4],
                                                            unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// 8-bit signed integers: depth 32.
__device__ __forceinline__ void multiply_add(int (&d)[4], const unsigned (&a)[4], unsigned b0,
                                             unsigned b1) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
