#pragma once
// The tiles of rung 5, in the order in which they are sent, and the parts that are added to own
// ones.

#include "../common/cluster_roles.h"
#include "../common/device_flags.h"
#include "parts.h"

constexpr int FLAGS = (64 << 10) / sizeof(unsigned);  // the first of them: who has started

template <int COLS>
struct PartTiles {
  static constexpr bool ADDS = true;
  CUtensorMap A, B, C, slots[MAX_GPUS];  // slots: [gpus, shard, N] on each device, by source
  unsigned* flags[MAX_GPUS];
  unsigned round;
  int shard, N, gpus, me;

  PartTiles(int shard, int N, int gpus, unsigned round)
      : round(round), shard(shard), N(N), gpus(gpus) {}

  struct Tile {
    int owner, row, col, flag;  // row: the block's first in the owner's rows
  };
  __host__ __device__ TileOrder of_one_owner() const {
    return {kata::ceil_div(shard, ROWS), kata::ceil_div(N, COLS)};
  }
  __host__ __device__ int count() const { return gpus * of_one_owner().count(); }
  /// The next device's tiles first, the own ones last: their parts have been sent by then.
  __device__ Tile operator()(int i, int rank) const {
    const TileOrder order = of_one_owner();
    const int2 tile = order[i % order.count()];
    return {(me + 1 + i / order.count()) % gpus, tile.x * ROWS + rank * BM, tile.y * COLS,
            (i % order.count() * CLUSTER + rank) * CONSUMERS};
  }
  __host__ __device__ int first_flag(int source) const {
    return MAX_GPUS + source * of_one_owner().count() * CLUSTER * CONSUMERS;
  }
  bool has_flags() const { return first_flag(gpus) <= FLAGS; }

  /// What device g multiplies, and where all of them keep flags and parts.
  void set_matrices(const __nv_bfloat16* A_g, const __nv_bfloat16* B_g, const __nv_bfloat16* C_g,
                    void* const* scratch, int K, int g) {
    const int M = shard * gpus;
    for (int h = 0; h < gpus; ++h) {
      flags[h] = static_cast<unsigned*>(scratch[h]);
      slots[h] = map_of_stack(PartMemory(scratch[h], M, N).slots, gpus, shard, N, 64);
    }
    me = g;
    A = tensor_map(A_g, M, K, K, BM);
    B = tensor_map(B_g, K, N, N, 64);
    C = map_of_stack(C_g, 1, shard, N, 64);
  }

  __device__ void wait_for(const Tile&) const {}
  __device__ void load_A(char* to, const Tile& tile, int k0, Barrier* full) const {
    load_box(to, A, tile.owner * shard + tile.row, k0, full);
  }
  __device__ int part_steps(const Tile& tile) const { return tile.owner == me ? 2 * gpus - 2 : 0; }
  __device__ void load_part(char* to, const Tile& tile, int step, Barrier* full) const {
    const int source = step / 2 < me ? step / 2 : step / 2 + 1;
    for (int w = 0; w < CONSUMERS; ++w)
      wait_for_all(flags[me] + first_flag(source) + tile.flag + w, round);
    fence_async_global();
    arrive_expecting(full, COLS * 128);
#pragma unroll
    for (int p = 0; p < COLS / 64; ++p) {
      const int w = p / (COLS / 128), col = step % 2 * COLS / 2 + p % (COLS / 128) * 64;
      load_box_of(to + p * PANEL, slots[me], source, tile.row + 64 * w, tile.col + col, full);
    }
  }
};
