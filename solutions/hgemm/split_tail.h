#pragma once
// The pieces of rung 12: whole tiles, and parts of the tiles of the last wave.

#include "../common/cluster_gemm.h"

struct SplitTail {
  TileOrder order;
  int whole;         // tiles that are not split
  int parts, depth;  // of the others: each part has `depth` of K
  int K;
  uint4* sums;     // [split tile][block of the cluster][warpgroup][part][32][thread]
  unsigned* come;  // [split tile][block of the cluster][warpgroup]: parts whose sums have come

  // How many parts each of `tail` tiles has; 0 or 1 if none is split.
  static int parts_of(int tail, int k_tiles, int clusters) {
    return tail == 0 ? 1 : std::min({clusters / tail, k_tiles / 4, 8});
  }

  static SplitTail of(TileOrder order, int K, int clusters) {
    static Scratch<uint4> sums;
    static Scratch<unsigned> come;
    const int tail = order.count() % clusters, k_tiles = kata::ceil_div(K, BK<__half>);
    SplitTail work = {order, order.count(), 1, K, K, nullptr, nullptr};
    const int parts = parts_of(tail, k_tiles, clusters);
    if (parts < 2) return work;
    work.whole -= tail;
    work.depth = kata::ceil_div(k_tiles, parts) * BK<__half>;
    work.parts = kata::ceil_div(K, work.depth);
    const size_t slots = static_cast<size_t>(tail) * CLUSTER * CONSUMERS;
    work.sums = sums.get(slots * (work.parts - 1) * 32 * WARPGROUP);
    work.come = come.get_zeroed(slots);
    return work;
  }

  __host__ __device__ int count() const { return whole + (order.count() - whole) * parts; }

  __device__ Piece operator[](int i) const {
    if (i < whole) return {order[i], 0, K};
    const int part = (i - whole) % parts;
    return {order[whole + (i - whole) / parts], part * depth, min((part + 1) * depth, K)};
  }

  // Whether the sums of piece i are to be stored: those of a last part, after the others are added.
  __device__ bool complete(uint32_t (&sum)[128], int i, int rank) const {
    if (i < whole) return true;
    const int part = (i - whole) % parts, tid = threadIdx.x % WARPGROUP;
    const int warpgroup = threadIdx.x / WARPGROUP, barrier = 1 + warpgroup;
    const int slot = ((i - whole) / parts * CLUSTER + rank) * CONSUMERS + warpgroup;
    uint4* const first = sums + static_cast<int64_t>(slot) * (parts - 1) * 32 * WARPGROUP + tid;
    if (part < parts - 1) {
#pragma unroll
      for (int j = 0; j < 32; ++j) {
        first[(part * 32 + j) * WARPGROUP] =
            make_uint4(sum[4 * j], sum[4 * j + 1], sum[4 * j + 2], sum[4 * j + 3]);
      }
      __threadfence();
      warpgroup_barrier(barrier);
      if (tid == 0) atomicAdd(&come[slot], 1);
      return false;
    }
    if (tid == 0) {
      while (*static_cast<volatile unsigned*>(&come[slot]) < parts - 1) {
      }
      atomicExch(&come[slot], 0);  // for the next call
      __threadfence();
    }
    warpgroup_barrier(barrier);
    const auto add = [](uint32_t& to, uint32_t bits) {
      to = __float_as_uint(__uint_as_float(to) + __uint_as_float(bits));
    };
    for (int other = 0; other < parts - 1; ++other) {
#pragma unroll
      for (int j = 0; j < 32; ++j) {
        const uint4 four = __ldcg(&first[(other * 32 + j) * WARPGROUP]);
        add(sum[4 * j], four.x);
        add(sum[4 * j + 1], four.y);
        add(sum[4 * j + 2], four.z);
        add(sum[4 * j + 3], four.w);
      }
    }
    return true;
  }
};
