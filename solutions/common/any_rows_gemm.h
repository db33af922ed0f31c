#pragma once
// C = A B on wgmma for matrices whose rows begin anywhere: tiles of C of 64 x 64 or
// 128 x 64.
//
// A is [M, K]; B is [K, N], or [N, K] for bytes. The TMA unit copies, all threads shift
// (any_rows.h), then two warpgroups multiply 64 rows each, or half of the depth of the same 64
// rows. Each block of a cluster has a part of K. store(row, col, x) gets each result, also outside
// C.

#include <algorithm>

#include <kata/kata.h>

#include "aligned.h"
#include "any_rows.h"
#include "cluster.h"
#include "wgmma.h"

namespace any_rows {

constexpr int THREADS = 256, COLS = 64, STAGES = 2;  // with more stages, fewer blocks fit an SM

// wgmma of wgmma.h for 64 columns of B; it adds to D.
#define WGMMA_ADD_N64(types, tail, d, a, b)                                                        \
  asm volatile(                                                                                    \
      "wgmma.mma_async.sync.aligned.m64n64" types                                                  \
      " {"                                                                                         \
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "      \
      "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"                            \
      "}, %32, %33, 1" tail ";"                                                                    \
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]),        \
        "+r"(d[7]), "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]),    \
        "+r"(d[14]), "+r"(d[15]), "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), \
        "+r"(d[21]), "+r"(d[22]), "+r"(d[23]), "+r"(d[24]), "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), \
        "+r"(d[28]), "+r"(d[29]), "+r"(d[30]), "+r"(d[31])                                         \
      : "l"(a), "l"(b))

__device__ inline void multiply_add(uint32_t (&d)[32], uint64_t a, uint64_t b, __half) {
  WGMMA_ADD_N64("k16.f32.f16.f16", ", 1, 1, 0, 1", d, a, b);
}
__device__ inline void multiply_add(uint32_t (&d)[32], uint64_t a, uint64_t b, signed char) {
  WGMMA_ADD_N64("k32.s32.s8.s8", "", d, a, b);
}

template <class T>
constexpr int DEPTH = 128 / sizeof(T);
template <class T>
constexpr bool N_ALONG_ROWS = sizeof(T) == 2;  // of B
template <class T>
using Sum = std::conditional_t<sizeof(T) == 2, float, int>;

template <class T, int ROWS>
struct Memory {
  struct alignas(1024) Tile {
    uint4 A[ROWS * AnyRows<T>::CELLS], B[COLS * AnyRows<T>::CELLS];
  };
  struct alignas(128) Copied {
    uint4 A[ROWS * AnyRows<T>::BOX_CELLS], B[COLS * AnyRows<T>::BOX_CELLS];
  };
  union {
    struct {
      Tile tiles[2];
      Copied copied[STAGES];
    };
    Sum<T> sums[128 / ROWS][ROWS][COLS + 8];  // padded against bank conflicts
  };

  // With few steps, the last stages are not used.
  static int bytes(int steps) {
    const int unused = std::max(STAGES - steps, 0) * static_cast<int>(sizeof(Copied));
    return std::max(sizeof(Memory) - unused, sizeof(Memory::sums));
  }
};

template <class T, int ROWS, bool SPLIT, class Store>
__global__ void __launch_bounds__(THREADS)
    kernel(const __grid_constant__ AnyRows<T> A, const __grid_constant__ AnyRows<T> B, int K,
           int tile_cols, int parts, Store store) {
  using Block = Memory<T, ROWS>;
  constexpr int ROW_GROUPS = ROWS / 64, DEPTH_GROUPS = 2 / ROW_GROUPS;  // of warpgroups
  extern __shared__ __align__(1024) char any_rows_memory[];
  __shared__ Barrier full[STAGES];
  Block& memory = *reinterpret_cast<Block*>(any_rows_memory);
  const int part = blockIdx.x % parts, tile = blockIdx.x / parts;
  const int row0 = tile / tile_cols * ROWS, col0 = tile % tile_cols * COLS;
  const int k_tiles = kata::ceil_div(K, DEPTH<T>);
  const int begin = k_tiles * part / parts, steps = k_tiles * (part + 1) / parts - begin;
  if (threadIdx.x == 0) {
    for (Barrier& barrier : full) init(&barrier, 1);
    fence_init();
    fence_async();
  }
  __syncthreads();
  const auto start_copy = [&](int step) {  // a set by each thread of the first warp
    constexpr int SETS = AnyRows<T>::MOST_SETS;
    if (threadIdx.x >= 32 || step >= steps) return;
    auto& copied = memory.copied[step % STAGES];
    Barrier* const barrier = &full[step % STAGES];
    const int k0 = (begin + step) * DEPTH<T>, set = threadIdx.x % SETS;
    if (threadIdx.x == 0) arrive_expecting(barrier, sizeof(copied));
    __syncwarp();
    if (threadIdx.x < A.sets) {
      A.template copy<ROWS>(copied.A, set, row0, k0, barrier);
    } else if (threadIdx.x >= SETS && threadIdx.x < SETS + B.sets) {
      B.template copy<64>(copied.B, set, N_ALONG_ROWS<T> ? k0 : col0, N_ALONG_ROWS<T> ? col0 : k0,
                          barrier);
    }
  };
#pragma unroll 1  // less code to fetch before the first product
  for (int step = 0; step < STAGES; ++step) start_copy(step);

  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, group = warp / 4;
  const int row_group = group % ROW_GROUPS, depth_group = group / ROW_GROUPS;
  uint32_t sum[32] = {};
  for (int step = 0; step < steps; ++step) {
    wait(&full[step % STAGES], step / STAGES % 2);
    const auto& copied = memory.copied[step % STAGES];
    auto& to = memory.tiles[step % 2];
    A.template shift<ROWS, THREADS>(to.A, copied.A);
    B.template shift<64, THREADS>(to.B, copied.B);
    wgmma_wait<0>();  // the other tile is free
    fence_async();
    __syncthreads();
    start_copy(step + STAGES);
    const uint64_t a = tile_descriptor(to.A + row_group * 64 * AnyRows<T>::CELLS, 0);
    const uint64_t b = tile_descriptor(to.B, 0);
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < 4 / DEPTH_GROUPS; ++i) {  // 32 bytes of depth
      const int k = depth_group * (4 / DEPTH_GROUPS) + i;
      multiply_add(sum, a + (k * 32 >> 4), b + ((N_ALONG_ROWS<T> ? k * 16 * 128 : k * 32) >> 4),
                   T());
    }
    wgmma_commit();
  }
  wgmma_wait<0>();
  __syncthreads();  // no warpgroup reads the tiles any more
  const int first = 64 * row_group + warp % 4 * 16 + lane / 4;
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    *reinterpret_cast<uint2*>(
        &memory.sums[depth_group][first + i % 2 * 8][i / 2 * 8 + lane % 4 * 2]) =
        make_uint2(sum[2 * i], sum[2 * i + 1]);
  }
  const auto cluster = cooperative_groups::this_cluster();
  if constexpr (SPLIT) {
    cluster.sync();
  } else {
    __syncthreads();
  }
  // The block's share of the rows, a warp for each.
#pragma unroll 2
  for (int row = ROWS * part / parts + warp; row < ROWS * (part + 1) / parts; row += THREADS / 32) {
#pragma unroll
    for (int col = lane; col < COLS; col += 32) {
      Sum<T> x = 0;
#pragma unroll 1
      for (int p = 0; p < (SPLIT ? parts : 1); ++p) {
        const Block& other = SPLIT ? *cluster.map_shared_rank(&memory, p) : memory;
#pragma unroll
        for (int d = 0; d < DEPTH_GROUPS; ++d) x += other.sums[d][row][col];
      }
      store(row0 + row, col0 + col, x);
    }
  }
  if constexpr (SPLIT) cluster.sync();  // no block may end while others read its sums
}

template <int ROWS, class T, class Store>
void launch(const T* A, const T* B, int K, int parts, const Store& store) {
  using Block = Memory<T, ROWS>;
  const AnyRows<T> a(A, store.M, K, ROWS);
  const AnyRows<T> b =
      N_ALONG_ROWS<T> ? AnyRows<T>(B, K, store.N, 64) : AnyRows<T>(B, store.N, K, 64);
  const int tile_cols = kata::ceil_div(store.N, COLS);
  const int blocks = kata::ceil_div(store.M, ROWS) * tile_cols * parts;
  const auto run = parts > 1 ? kernel<T, ROWS, true, Store> : kernel<T, ROWS, false, Store>;
  const int bytes = Block::bytes(kata::ceil_div(kata::ceil_div(K, DEPTH<T>), parts));
  cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (parts > 1) {
    launch_clusters(parts, blocks, THREADS, bytes, run, a, b, K, tile_cols, parts, store);
  } else {
    run<<<blocks, THREADS, bytes>>>(a, b, K, tile_cols, parts, store);
  }
}

// Computes C and returns true if that takes less time than padded copies, and the maps suit. From
// trials on an H200: 64 x 64 x 128 bytes of depth take an SM about 1 us, and a block alone 1.5 us.
template <class T, class Store>
bool product(const T* A, const T* B, int K, int processors, const Store& store) {
  const int M = store.M, N = store.N, k_tiles = kata::ceil_div(K, DEPTH<T>);
  const int tiles = kata::ceil_div(M, 64) * kata::ceil_div(N, 64);
  const int parts = 2 * tiles <= processors && k_tiles >= 8 ? 2 : 1;
  const int steps = kata::ceil_div(k_tiles, parts);
  const bool fast = steps < 8 && kata::ceil_div(tiles * parts, processors) * steps <= 16;
  const bool has_rows =
      M >= AnyRows<T>::sets_of(K) &&
      (N_ALONG_ROWS<T> ? K >= AnyRows<T>::sets_of(N) : N >= AnyRows<T>::sets_of(K));
  if (!fast || !has_rows || !is_aligned16(A) || !is_aligned16(B)) return false;
  if (tiles > processors) {
    launch<128>(A, B, K, 1, store);
  } else {
    launch<64>(A, B, K, parts, store);
  }
  return true;
}

}  // namespace any_rows
