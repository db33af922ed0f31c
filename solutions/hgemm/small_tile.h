#pragma once
// The small products of rung 13 on: tiles of 128 x 64, one for each cluster.
//
// Each block of a cluster multiplies a part of K. It leaves its float sums in its shared memory and
// adds some of the rows of all blocks, which it reads as distributed shared memory. ALONE (rung
// 14): a block has all of K and stores its own sums.

#include <cooperative_groups.h>

#include "../common/cluster.h"
#include "../common/cluster_gemm.h"

namespace small {

constexpr int ROWS = 128, COLS = 64, STAGES = 6, CONSUMERS = 2;
constexpr int MULTIPLIERS = CONSUMERS * WARPGROUP, THREADS = MULTIPLIERS + 32;

struct Memory {
  struct alignas(1024) Stage {
    char A[ROWS * 128], B[PANEL];
  };
  union {
    Stage stages[STAGES];
    float sums[ROWS][COLS + 8];  // padded against bank conflicts
  };
  Barrier full[STAGES], empty[STAGES];
};

// wgmma of wgmma.h for 64 columns of B.
#define WGMMA_N64(type, d, a, b)                                                                   \
  asm volatile(                                                                                    \
      "wgmma.mma_async.sync.aligned.m64n64k16.f32." type "." type                                  \
      " {"                                                                                         \
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "      \
      "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"                            \
      "}, %32, %33, 1, 1, 1, 0, 1;"                                                                \
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]),        \
        "+r"(d[7]), "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]),    \
        "+r"(d[14]), "+r"(d[15]), "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), \
        "+r"(d[21]), "+r"(d[22]), "+r"(d[23]), "+r"(d[24]), "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), \
        "+r"(d[28]), "+r"(d[29]), "+r"(d[30]), "+r"(d[31])                                         \
      : "l"(a), "l"(b))

template <class T>
__device__ void wgmma(uint32_t (&d)[32], uint64_t a, uint64_t b);

template <>
__device__ inline void wgmma<__half>(uint32_t (&d)[32], uint64_t a, uint64_t b) {
  WGMMA_N64("f16", d, a, b);
}
template <>
__device__ inline void wgmma<__nv_bfloat16>(uint32_t (&d)[32], uint64_t a, uint64_t b) {
  WGMMA_N64("bf16", d, a, b);
}

// Rows first to first + 63 of the tile, by the warpgroup that has their sums.
__device__ inline void keep(const uint32_t (&sum)[32], float (&sums)[ROWS][COLS + 8], int first) {
  const int lane = threadIdx.x % 32, row = first + threadIdx.x % WARPGROUP / 32 * 16 + lane / 4;
#pragma unroll
  for (int i = 0; i < COLS / 4; ++i) {
    *reinterpret_cast<float2*>(&sums[row + i % 2 * 8][i / 2 * 8 + lane % 4 * 2]) =
        make_float2(__uint_as_float(sum[2 * i]), __uint_as_float(sum[2 * i + 1]));
  }
}

// Four neighbouring columns, in one access if rows are aligned for it.
template <class Store>
__device__ void store4(const Store& store, int row, int col, float4 sum) {
  if (store.N % 4 != 0) {
    store(row, col, sum.x, sum.y);
    store(row, col + 2, sum.z, sum.w);
  } else if (row < store.M && col < store.N) {
    *reinterpret_cast<uint2*>(store.C + static_cast<int64_t>(row) * store.N + col) =
        make_uint2(store.packed(row, col, sum.x, sum.y), store.packed(row, col + 2, sum.z, sum.w));
  }
}

// Block `part` of the tile's cluster adds and stores ROWS / parts rows.
template <class Store>
__device__ void add_parts(Memory& memory, int part, int parts, int row0, int col0,
                          const Store& store) {
  const auto cluster = cooperative_groups::this_cluster();
  const int col = threadIdx.x % (COLS / 4) * 4, rows = ROWS / parts;
#pragma unroll 4
  for (int r = threadIdx.x / (COLS / 4); r < rows; r += MULTIPLIERS / (COLS / 4)) {
    const int row = part * rows + r;
    float4 sum = {};
    for (int p = 0; p < parts; ++p) {
      const Memory& other = *cluster.map_shared_rank(&memory, p);
      const float4 x = *reinterpret_cast<const float4*>(&other.sums[row][col]);
      sum.x += x.x, sum.y += x.y, sum.z += x.z, sum.w += x.w;
    }
    store4(store, row0 + row, col0 + col, sum);
  }
}

// For the threads that multiply.
__device__ inline void multipliers_barrier() {
  asm volatile("bar.sync 1, %0;" ::"n"(MULTIPLIERS) : "memory");
}

// The whole tile, by the block that has its sums: 16 bytes at a time. C's rows are aligned.
template <class Store>
__device__ void store_alone(const Memory& memory, int row0, int col0, const Store& store) {
  constexpr int PER_ROW = COLS / 8;
  const int col = threadIdx.x % PER_ROW * 8;
#pragma unroll
  for (int r = threadIdx.x / PER_ROW; r < ROWS; r += MULTIPLIERS / PER_ROW) {
    const float4 x = *reinterpret_cast<const float4*>(&memory.sums[r][col]);
    const float4 y = *reinterpret_cast<const float4*>(&memory.sums[r][col + 4]);
    const int row = row0 + r, c = col0 + col;
    if (row < store.M && c < store.N) {
      *reinterpret_cast<uint4*>(store.C + static_cast<int64_t>(row) * store.N + c) =
          make_uint4(store.packed(row, c, x.x, x.y), store.packed(row, c + 2, x.z, x.w),
                     store.packed(row, c + 4, y.x, y.y), store.packed(row, c + 6, y.z, y.w));
    }
  }
}

template <class T, bool ALONE, class Store>
__global__ void __launch_bounds__(THREADS)
    kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
           int tile_cols, int k_tiles, int parts, Store store) {
  extern __shared__ Memory small_memory[];
  Memory& memory = small_memory[0];
  const int warpgroup = threadIdx.x / WARPGROUP, tid = threadIdx.x % WARPGROUP;
  const int part = blockIdx.x % parts, tile = blockIdx.x / parts;
  const int row0 = tile / tile_cols * ROWS, col0 = tile % tile_cols * COLS;
  const int begin = k_tiles * part / parts, steps = k_tiles * (part + 1) / parts - begin;
  const auto load = [&](int step) {
    const int s = step % STAGES, k0 = (begin + step) * BK<T>;
    arrive_expecting(&memory.full[s], sizeof(Memory::Stage));
    load_box(memory.stages[s].A, A, row0, k0, &memory.full[s]);
    load_box(memory.stages[s].B, B, k0, col0, &memory.full[s]);
  };
  if (threadIdx.x == MULTIPLIERS) {  // its first loads need no other thread
    for (int s = 0; s < STAGES; ++s) {
      init(&memory.full[s], 1);
      init(&memory.empty[s], CONSUMERS);
    }
    fence_init();
    fence_async();
    for (int step = 0; step < min(STAGES, steps); ++step) load(step);
  }
  __syncthreads();
  if (warpgroup == CONSUMERS) {
    for (int step = STAGES; tid == 0 && step < steps; ++step) {
      wait(&memory.empty[step % STAGES], step / STAGES % 2 ^ 1);
      load(step);
    }
  } else {
    uint32_t sum[COLS / 2] = {};
    for (int step = 0; step < steps; ++step) {
      const auto& stage = memory.stages[step % STAGES];
      wait(&memory.full[step % STAGES], step / STAGES % 2);
      const uint64_t a = tile_descriptor(stage.A + warpgroup * PANEL, 0);
      const uint64_t b = tile_descriptor(stage.B, PANEL);
      wgmma_fence();
#pragma unroll
      for (int i = 0; i < 4; ++i) wgmma<T>(sum, a + (i * 32 >> 4), b + (i * 16 * 128 >> 4));
      wgmma_commit();
      wgmma_wait<1>();
      if (step > 0 && tid == 0) arrive(&memory.empty[(step - 1) % STAGES]);
    }
    wgmma_wait<0>();
    multipliers_barrier();  // no thread reads the stages any more
    keep(sum, memory.sums, 64 * warpgroup);
  }
  if constexpr (ALONE) {
    if (warpgroup == CONSUMERS) return;
    multipliers_barrier();
    store_alone(memory, row0, col0, store);
  } else {
    const auto cluster = cooperative_groups::this_cluster();
    cluster.sync();
    if (warpgroup < CONSUMERS) add_parts(memory, part, parts, row0, col0, store);
    cluster.sync();  // no block may end while others read its sums
  }
}

// K in `parts` parts: 1, 2, 4 or 8. ALONE: 1 part, and N a multiple of 8.
template <bool ALONE = false, class T, class Store>
void product(const T* A, const T* B, int K, int parts, const Store& store) {
  static Scratch<uint4> scratch_A, scratch_B;
  const CUtensorMap a = map_of_A(aligned_rows(A, store.M, K, scratch_A), store.M, K, ROWS);
  const CUtensorMap b = map_of_B(aligned_rows(B, K, store.N, scratch_B), store.N, K);
  const int tile_cols = kata::ceil_div(store.N, COLS),
            tiles = kata::ceil_div(store.M, ROWS) * tile_cols, k_tiles = kata::ceil_div(K, BK<T>);
  cudaFuncSetAttribute(kernel<T, ALONE, Store>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       sizeof(Memory));
  if constexpr (ALONE) {
    kernel<T, ALONE, Store>
        <<<tiles, THREADS, sizeof(Memory)>>>(a, b, tile_cols, k_tiles, parts, store);
  } else {
    launch_clusters(parts, tiles * parts, THREADS, sizeof(Memory), kernel<T, ALONE, Store>, a, b,
                    tile_cols, k_tiles, parts, store);
  }
}

}  // namespace small
