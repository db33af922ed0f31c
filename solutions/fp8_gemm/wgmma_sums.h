#pragma once
// A 128 x 128 tile of C on wgmma: two warpgroups of 64 x 128. Rungs 4 to 7.
//
// A stage in shared memory is one block of K: 128 rows of 128 bytes of A and of B, in the TMA unit's
// swizzle. Four wgmma, each 32 deep, make the sum of a block.

#include "../common/wgmma_tile.h"
#include "scales.h"

constexpr int ROWS = 128, COLS = 128;
constexpr int CONSUMERS = 2;  // warpgroups

struct alignas(1024) Stage {
  char A[ROWS * 128], B[COLS * 128];
};

// A [M, K] or B [N, K] in boxes of `box_rows` rows of a block of K. What is outside is read as 0.
inline CUtensorMap map_of(const fp8* x, int rows, int K, int box_rows) {
  return tensor_map(x, rows, K, K, box_rows);
}

// Starts the copies of a block of K; `full` ends its phase when they have come. For one thread.
__device__ inline void load_stage(Stage& stage, const CUtensorMap& A, const CUtensorMap& B,
                                  int row0, int col0, int block, Barrier* full) {
  arrive_expecting(full, sizeof(Stage));
  load_box(stage.A, A, row0, block * BLOCK_K, full);
  load_box(stage.B, B, col0, block * BLOCK_K, full);
}

using Sums = float[64];  // a thread's, in the layout of wgmma.h

// Between the arithmetic that uses registers of a wgmma and the wgmma: the compiler must not move
// one across the wait or the fence of the other.
__device__ __forceinline__ void settle(Sums& sums) {
#pragma unroll
  for (int i = 0; i < 64; ++i) asm volatile("" : "+f"(sums[i])::"memory");
}

// The registers of D, in the code and as operands.
#define NUMBERS_32 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NUMBERS_64 \
  NUMBERS_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define SUMS_8(d, i) \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
#define SUMS_32(d, i) SUMS_8(d, i), SUMS_8(d, i + 8), SUMS_8(d, i + 16), SUMS_8(d, i + 24)

// D (+)= A B, 32 deep, both with K along their rows.
__device__ __forceinline__ void multiply_fp8(Sums& d, uint64_t a, uint64_t b, bool add) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %66, 0;"
      "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 {" NUMBERS_64 "}, %64, %65, p, 1, 1;}"
      : SUMS_32(d, 0), SUMS_32(d, 32)
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

// Starts the sums of a block for the 64 rows of a warpgroup. A step of 32 elements is 32 bytes.
__device__ __forceinline__ void start_block(Sums& sums, const Stage& stage, int warpgroup) {
  const uint64_t a = tile_descriptor(stage.A + warpgroup * 64 * 128, 0);
  const uint64_t b = tile_descriptor(stage.B, 0);
  settle(sums);
  wgmma_fence();
#pragma unroll
  for (int i = 0; i < 4; ++i) multiply_fp8(sums, a + (32 * i >> 4), b + (32 * i >> 4), i > 0);
  wgmma_commit();
}

// Where a thread's sums are: the first of its two rows, which are 8 apart, and its first column.
struct Corner {
  int row, col;

  __device__ static Corner of(int row0, int col0, int warpgroup) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x % WARPGROUP / 32;
    return {row0 + 64 * warpgroup + 16 * warp + lane / 4, col0 + lane % 4 * 2};
  }
};

// The products of A's and B's scales for the two rows. A tile's columns have one scale.
__device__ __forceinline__ float2 scales_at(const Scales& scales, Corner at, int block) {
  const float of_b = scales.of_col(at.col, block);
  return make_float2(scales.of_row(at.row, block) * of_b, scales.of_row(at.row + 8, block) * of_b);
}

// C's sums += a block's sums times its scales.
__device__ __forceinline__ void promote(Sums& total, const Sums& sums, float2 factor) {
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    total[i] = fmaf(i / 2 % 2 == 0 ? factor.x : factor.y, sums[i], total[i]);
  }
}

__device__ __forceinline__ void store_sums(const Sums& total, __nv_bfloat16* C, int M, int N,
                                           Corner at) {
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    store_pair(C, M, N, at.row + i % 2 * 8, at.col + i / 2 * 8, total[2 * i], total[2 * i + 1]);
  }
}
