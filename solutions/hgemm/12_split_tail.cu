// Split-K for the tiles of the last wave: clusters without a tile take a part of another's depth.
//
// 4096 x 11008 has 688 tiles of 256 x 256: 10 waves of 66 clusters and 28 more, for which 38
// clusters would wait. Each of the 28 is split along K. The first parts leave their sums in scratch
// memory; the last one adds them to its own and stores. A small product is all tail: 256 x 256 with
// K = 16384 is split in 8. A part waits only for blocks of smaller numbers, which run already.
//
// Prediction: 10.5 waves instead of 11 at 4096 x 11008 x 4096, and 3 us for the sums: 0.545 ms
// instead of 0.567 ms. No change at 4096 cubed: its last wave is nearly full.
// Measured: 484.7 us at 4096x11008x4096, 83 % of the limit (H200, 2026-11-24)
#include "../common/cluster_gemm.h"
#include "scaled.h"

struct SplitTail {
  TileOrder order;
  int whole;         // tiles that are not split
  int parts, depth;  // of the others: each part has `depth` of K
  int K;
  uint4* sums;     // [split tile][block of the cluster][warpgroup][part][32][thread]
  unsigned* come;  // [split tile][block of the cluster][warpgroup]: parts whose sums have come

  static SplitTail of(TileOrder order, int K, int clusters) {
    static Scratch<uint4> sums;
    static Scratch<unsigned> come;
    const int tail = order.count() % clusters, k_tiles = kata::ceil_div(K, BK<__half>);
    SplitTail work = {order, order.count(), 1, K, K, nullptr, nullptr};
    const int parts = tail == 0 ? 1 : std::min({clusters / tail, k_tiles / 4, 8});
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

extern "C" void hgemm(const __half* A, const __half* B, __half* C, int M, int N, int K, float alpha,
                      float beta) {
  cluster_gemm<SplitTail>(A, B, C, M, N, K, Scaled{C, M, N, alpha, beta});
}
