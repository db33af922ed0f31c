#pragma once
// The roles of tile_roles.h in clusters of two blocks, as in hgemm's rungs 10 and 11: each block
// loads its rows of A and half of B's panels for both, and the TMA unit stores. For bf16.
//
// A tile has COLS columns, 256 or 128, and BM rows for each block. `Work` says what clusters do:
// tiles of 0 to count(), work(i, rank) for a block's part of tile i, with its row and col;
// wait_for(tile) before its first load, load_A(to, tile, k0, full), the map B, store(tile, row,
// panel, from) for 64 x 64 results, and stored(tile, warpgroup) when all have been written.
// help(thread, rank, written): what the idle warps beside the producer do; each warpgroup counts in
// `written` the tiles whose results have been written. If Work::ADDS, a tile has part_steps(tile)
// more steps, which load_part fills with half of the columns of a part to add.

#include "cluster_gemm.h"

constexpr int ROWS = CLUSTER * BM, DEPTH = BK<__nv_bfloat16>;
constexpr int HELPERS = WARPGROUP - 32;  // threads of a block that may help

template <int COLS>
struct TileMemory {
  static constexpr int STAGES = COLS == 256 ? 4 : 6;
  struct alignas(1024) Stage {
    char A[BM * 128], B[COLS * 128];
  };
  Stage stages[STAGES];
  char staging[CONSUMERS][2][PANEL];
  Barrier full[STAGES], empty[STAGES];
  unsigned written[CONSUMERS];  // tiles of the block whose stores have been written

  __device__ void init_barriers() {
    for (unsigned& tiles : written) tiles = 0;
    for (int s = 0; s < STAGES; ++s) {
      init(&full[s], 1);
      init(&empty[s], CONSUMERS * CLUSTER);
    }
    fence_init();
  }
};

/// Whether the TMA unit can read A and B.
inline bool is_aligned(int N, int K) {
  return N % 8 == 0 && K % 8 == 0;
}

/// Boxes of `box_rows` rows of 128 bytes of one of [count, rows, cols] matrices.
inline CUtensorMap map_of_stack(const __nv_bfloat16* data, int count, int rows, int cols,
                                int box_rows) {
  const cuuint64_t row = cols * sizeof(__nv_bfloat16);
  const cuuint64_t size[] = {static_cast<cuuint64_t>(cols), static_cast<cuuint64_t>(rows),
                             static_cast<cuuint64_t>(count)};
  const cuuint64_t strides[] = {row, row * rows};
  const cuuint32_t box[] = {DEPTH, static_cast<cuuint32_t>(box_rows), 1};
  return encode_map(data, 3, size, strides, box);
}
__device__ inline void load_box_of(void* tile, const CUtensorMap& stack, int index, int row,
                                   int col, Barrier* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(tile)),
      "l"(&stack), "r"(col), "r"(row), "r"(index), "r"(shared_address(barrier))
      : "memory");
}
__device__ inline void store_box_of(const CUtensorMap& stack, int index, int row, int col,
                                    const void* tile) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(
          &stack),
      "r"(col), "r"(row), "r"(index), "r"(shared_address(tile))
      : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/// All stores of this thread have been written, not only read.
__device__ inline void wait_stores() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/// In shared memory, what this thread has done comes before it for threads of the block.
__device__ inline void tell_block(unsigned* tiles, unsigned count) {
  asm volatile("st.release.cta.shared::cta.u32 [%0], %1;" ::"r"(shared_address(tiles)), "r"(count)
               : "memory");
}
__device__ inline void wait_in_block(const unsigned* tiles, unsigned count) {
  unsigned seen;
  do {
    asm volatile("ld.acquire.cta.shared::cta.u32 %0, [%1];"
                 : "=r"(seen)
                 : "r"(shared_address(tiles))
                 : "memory");
  } while (seen < count);
}

/// Of the warps beside the producer. The consumers have barriers 1 and 2.
__device__ inline void helpers_barrier() {
  asm volatile("bar.sync 3, %0;" ::"n"(HELPERS) : "memory");
}

/// start_product of wgmma_tile.h for 128 columns.
__device__ inline void wgmma_128(uint32_t (&d)[64], uint64_t a, uint64_t b, bool add) {
#define FOUR(i) "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %66, 0;"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "
      "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "
      "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, "
      "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, p, 1, 1, 0, 1;}"
      : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
#undef SIXTEEN
#undef FOUR
}
__device__ inline void start(uint32_t (&sum)[128], const char* A, const char* B, bool add) {
  start_product<__nv_bfloat16>(sum, A, B, add);
}
__device__ inline void start(uint32_t (&sum)[64], const char* A, const char* B, bool add) {
  const uint64_t a = tile_descriptor(A, 0), b = tile_descriptor(B, PANEL);
  wgmma_fence();
#pragma unroll
  for (int i = 0; i < 4; ++i)
    wgmma_128(sum, a + (i * 32 >> 4), b + (i * 16 * 128 >> 4), add || i > 0);
  wgmma_commit();
}

template <int COLS, class Work>
__device__ void fill(TileMemory<COLS>& memory, const Work& work, int K, int rank) {
  constexpr int SHARE = COLS / 64 / CLUSTER;  // of B's panels
  Place<TileMemory<COLS>::STAGES> at;
  for (int i = blockIdx.x / CLUSTER; i < work.count(); i += gridDim.x / CLUSTER) {
    const auto tile = work(i, rank);
    work.wait_for(tile);
    for (int k0 = 0; k0 < K; k0 += DEPTH, at.advance()) {
      auto& stage = memory.stages[at.stage];
      Barrier* const full = &memory.full[at.stage];
      wait(&memory.empty[at.stage], at.parity ^ 1);
      arrive_expecting(full, sizeof(stage));
      work.load_A(stage.A, tile, k0, full);
#pragma unroll
      for (int p = 0; p < SHARE; ++p) {
        const int panel = rank * SHARE + p;
        load_box_multicast(stage.B + panel * PANEL, work.B, k0, tile.col + 64 * panel, full,
                           (1 << CLUSTER) - 1);
      }
    }
    if constexpr (Work::ADDS) {
      for (int step = 0; step < work.part_steps(tile); ++step, at.advance()) {
        wait(&memory.empty[at.stage], at.parity ^ 1);
        work.load_part(memory.stages[at.stage].B, tile, step, &memory.full[at.stage]);
      }
    }
  }
}

/// Adds half of the columns of a part: panels of 64 rows of this warpgroup, swizzled.
template <int SUMS>
__device__ __forceinline__ void add_half(uint32_t (&sum)[SUMS], const char* panels, int half) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % WARPGROUP / 32;
#pragma unroll
  for (int i = 0; i < SUMS / 4; ++i) {
    const int row = 16 * warp + lane / 4 + i % 2 * 8, cell = i / 2;
    const auto pair = *reinterpret_cast<const __nv_bfloat162*>(
        panels + cell / 8 * PANEL + row * 128 + (cell % 8 ^ row % 8) * 16 + lane % 4 * 4);
    uint32_t* const to = sum + half * SUMS / 2 + 2 * i;
    to[0] = __float_as_uint(__uint_as_float(to[0]) + __low2float(pair));
    to[1] = __float_as_uint(__uint_as_float(to[1]) + __high2float(pair));
  }
}

struct PackBf16 {
  __device__ uint32_t packed(int, int, float x, float y) const {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(x, y);
    return reinterpret_cast<const uint32_t&>(pair);
  }
};

template <int COLS, class Work>
__device__ void multiply(TileMemory<COLS>& memory, const Work& work, int K, int rank) {
  const int warpgroup = threadIdx.x / WARPGROUP, tid = threadIdx.x % WARPGROUP;
  const auto release = [&](int stage) {
    if (tid < CLUSTER) arrive_at(&memory.empty[stage], tid);
  };
  Place<TileMemory<COLS>::STAGES> at;
  constexpr int SOON = 8 * DEPTH;  // of K: what was stored before has been written by then
  int before = -1;                 // the tile whose stores are under way
  unsigned finished = 0;           // tiles
  const auto finish = [&] {
    if (before >= 0 && tid == 0) {
      wait_stores();
      work.stored(work(before, rank), warpgroup);
      tell_block(&memory.written[warpgroup], ++finished);
    }
    before = -1;
  };
  for (int i = blockIdx.x / CLUSTER; i < work.count(); i += gridDim.x / CLUSTER) {
    const auto tile = work(i, rank);
    uint32_t sum[COLS / 2];
    int last = 0;
    for (int k0 = 0; k0 < K; k0 += DEPTH, at.advance()) {
      const auto& stage = memory.stages[at.stage];
      if (k0 == SOON) finish();
      wait(&memory.full[at.stage], at.parity);
      start(sum, stage.A + warpgroup * PANEL, stage.B, k0 > 0);
      wgmma_wait<1>();
      if (k0 > 0) release(last);
      last = at.stage;
    }
    wgmma_wait<0>();
    release(last);
    finish();
    if constexpr (Work::ADDS) {
      for (int step = 0; step < work.part_steps(tile); step += 2) {
#pragma unroll
        for (int half = 0; half < 2; ++half, at.advance()) {
          wait(&memory.full[at.stage], at.parity);
          add_half(sum, memory.stages[at.stage].B + warpgroup * (COLS / 128) * PANEL, half);
          warpgroup_barrier(1 + warpgroup);  // all have read
          release(at.stage);
        }
      }
    }
#pragma unroll
    for (int p = 0; p < COLS / 64; ++p) {
      char* const panel = memory.staging[warpgroup][p % 2];
      if (tid == 0) wait_stores_read<1>();
      warpgroup_barrier(1 + warpgroup);
      write_packed(panel + tid / 32 * 16 * 128, sum + 32 * p, 0, 0, PackBf16());
      fence_async();
      warpgroup_barrier(1 + warpgroup);
      if (tid == 0) work.store(tile, 64 * warpgroup, 64 * p, panel);
    }
    before = i;
  }
  finish();
}

/// For all threads of a cluster.
template <int COLS, class Work>
__device__ void multiply_tiles(TileMemory<COLS>& memory, const Work& work, int K) {
  const int rank = rank_in_cluster(), tid = threadIdx.x % WARPGROUP;
  if (threadIdx.x == 0) memory.init_barriers();
  cluster_barrier();
  if (threadIdx.x / WARPGROUP == CONSUMERS) {
    give_registers<40>();
    if (tid == 0) fill(memory, work, K, rank);
    if (tid >= 32) work.help(tid - 32, rank, memory.written);
  } else {
    take_registers<232>();
    multiply(memory, work, K, rank);
  }
  cluster_barrier();  // no block may end while the other writes to its memory
}

/// Whether tiles of 128 columns take less time: half of the work at 5/6 of the speed.
inline bool are_few(int tile_rows, int N) {
  const int clusters = processors() / CLUSTER;
  const auto waves = [&](int cols) {
    return kata::ceil_div(tile_rows * kata::ceil_div(N, cols), clusters);
  };
  return 6 * waves(128) < 10 * waves(256);
}
