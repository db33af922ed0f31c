#pragma once
// wgmma: D (+)= A B for 64 rows of A and 256 columns of B, both read from shared memory.
//
// Four warps issue it together and share D: value i of a thread is in row
// 16 warp + lane / 4 + 8 (i / 2 % 2) and column 8 (i / 4) + 2 (lane % 4) + i % 2, as the four values
// of mma.sync for each 8 columns. The registers hold the bits of a float, or an int.
//
// The tensor cores run behind the program: D may be read after wgmma_wait only.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

// `types`: K, and the types of D, A and B. `tail`: the signs of A and B and whether each is stored
// with K along its rows (0) or with M or N along its rows (1); integers have none of these.
#define WGMMA_N256(types, tail, d, a, b, add)                                                      \
  asm volatile(                                                                                    \
      "{.reg .pred p; setp.ne.b32 p, %130, 0;"                                                     \
      "wgmma.mma_async.sync.aligned.m64n256" types " {"                                            \
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "      \
      "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "      \
      "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, "      \
      "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, "      \
      "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, "      \
      "%87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, "        \
      "%103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, "       \
      "%117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"                           \
      "}, %128, %129, p" tail ";}"                                                                 \
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]),        \
        "+r"(d[7]), "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]),                 \
        "+r"(d[13]), "+r"(d[14]), "+r"(d[15]), "+r"(d[16]), "+r"(d[17]), "+r"(d[18]),              \
        "+r"(d[19]), "+r"(d[20]), "+r"(d[21]), "+r"(d[22]), "+r"(d[23]), "+r"(d[24]),              \
        "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), "+r"(d[28]), "+r"(d[29]), "+r"(d[30]),              \
        "+r"(d[31]), "+r"(d[32]), "+r"(d[33]), "+r"(d[34]), "+r"(d[35]), "+r"(d[36]),              \
        "+r"(d[37]), "+r"(d[38]), "+r"(d[39]), "+r"(d[40]), "+r"(d[41]), "+r"(d[42]),              \
        "+r"(d[43]), "+r"(d[44]), "+r"(d[45]), "+r"(d[46]), "+r"(d[47]), "+r"(d[48]),              \
        "+r"(d[49]), "+r"(d[50]), "+r"(d[51]), "+r"(d[52]), "+r"(d[53]), "+r"(d[54]),              \
        "+r"(d[55]), "+r"(d[56]), "+r"(d[57]), "+r"(d[58]), "+r"(d[59]), "+r"(d[60]),              \
        "+r"(d[61]), "+r"(d[62]), "+r"(d[63]), "+r"(d[64]), "+r"(d[65]), "+r"(d[66]),              \
        "+r"(d[67]), "+r"(d[68]), "+r"(d[69]), "+r"(d[70]), "+r"(d[71]), "+r"(d[72]),              \
        "+r"(d[73]), "+r"(d[74]), "+r"(d[75]), "+r"(d[76]), "+r"(d[77]), "+r"(d[78]),              \
        "+r"(d[79]), "+r"(d[80]), "+r"(d[81]), "+r"(d[82]), "+r"(d[83]), "+r"(d[84]),              \
        "+r"(d[85]), "+r"(d[86]), "+r"(d[87]), "+r"(d[88]), "+r"(d[89]), "+r"(d[90]),              \
        "+r"(d[91]), "+r"(d[92]), "+r"(d[93]), "+r"(d[94]), "+r"(d[95]), "+r"(d[96]),              \
        "+r"(d[97]), "+r"(d[98]), "+r"(d[99]), "+r"(d[100]), "+r"(d[101]), "+r"(d[102]),           \
        "+r"(d[103]), "+r"(d[104]), "+r"(d[105]), "+r"(d[106]), "+r"(d[107]), "+r"(d[108]),        \
        "+r"(d[109]), "+r"(d[110]), "+r"(d[111]), "+r"(d[112]), "+r"(d[113]), "+r"(d[114]),        \
        "+r"(d[115]), "+r"(d[116]), "+r"(d[117]), "+r"(d[118]), "+r"(d[119]), "+r"(d[120]),        \
        "+r"(d[121]), "+r"(d[122]), "+r"(d[123]), "+r"(d[124]), "+r"(d[125]), "+r"(d[126]),        \
        "+r"(d[127])                                                                               \
      : "l"(a), "l"(b), "r"(add))

template <class T>
__device__ void wgmma(uint32_t (&d)[128], uint64_t a, uint64_t b, bool add);

// 16 steps of K; B has N along its rows.
template <>
__device__ inline void wgmma<__half>(uint32_t (&d)[128], uint64_t a, uint64_t b, bool add) {
  WGMMA_N256("k16.f32.f16.f16", ", 1, 1, 0, 1", d, a, b, static_cast<int>(add));
}

template <>
__device__ inline void wgmma<__nv_bfloat16>(uint32_t (&d)[128], uint64_t a, uint64_t b, bool add) {
  WGMMA_N256("k16.f32.bf16.bf16", ", 1, 1, 0, 1", d, a, b, static_cast<int>(add));
}

// 32 steps of K; bytes must have K along the rows of both.
template <>
__device__ inline void wgmma<signed char>(uint32_t (&d)[128], uint64_t a, uint64_t b, bool add) {
  WGMMA_N256("k32.s32.s8.s8", "", d, a, b, static_cast<int>(add));
}

// Before the first wgmma, and after other code has written D.
__device__ inline void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// Makes a group of the wgmmas since the last commit.
__device__ inline void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until at most PENDING groups run.
template <int PENDING>
__device__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

// What wgmma must know of a tile in shared memory whose rows are 128 bytes, swizzled: address in
// units of 16 bytes, the distance of groups of 64 columns (used if N runs along the rows), the
// distance of groups of 8 rows, and 1 for the swizzle of 128 bytes.
__device__ inline uint64_t tile_descriptor(const void* tile, int bytes_between_panels) {
  const uint64_t address = __cvta_generic_to_shared(tile);
  return (address & 0x3ffff) >> 4 | static_cast<uint64_t>(bytes_between_panels >> 4) << 16 |
         uint64_t(1024 >> 4) << 32 | uint64_t(1) << 62;
}
