#pragma once
// The places of the kept elements within a tile of compact: those with x > 0.
//
// A warp owns 128 * ROUNDS consecutive floats; in round r lane l holds the four that start at
// 128 r + 4 l (as in tile_scan.h). A lane keeps 0 to 4 elements per round and a warp at most 128,
// so the counts of four rounds fit the four bytes of one register: one shuffle scan serves all.

#include "../common/block_scan.h"

template <int THREADS>
struct TileSelect {
  static constexpr int ROUNDS = 4;
  static constexpr int WARPS = THREADS / 32;
  static constexpr int SIZE = 4 * THREADS * ROUNDS;

  float4 v[ROUNDS];
  int place[ROUNDS];  // of this lane's first kept element of the round, after rank()

  // `tile` is aligned to 16 bytes. Only its first `count` elements exist; the others read as 0,
  // which is not kept.
  __device__ void load(const float* tile, int count) {
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) {
      const int i = (threadIdx.x / 32) * (128 * ROUNDS) + 128 * r + 4 * (threadIdx.x % 32);
      if (i + 4 <= count) {
        v[r] = *reinterpret_cast<const float4*>(tile + i);
      } else {
        v[r] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (i < count) v[r].x = tile[i];
        if (i + 1 < count) v[r].y = tile[i + 1];
        if (i + 2 < count) v[r].z = tile[i + 2];
      }
    }
  }

  // How many elements of round r this lane keeps.
  __device__ unsigned kept(int r) const {
    return (v[r].x > 0.0f) + (v[r].y > 0.0f) + (v[r].z > 0.0f) + (v[r].w > 0.0f);
  }

  // How many elements this thread keeps.
  __device__ unsigned kept() const {
    unsigned sum = 0;
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) sum += kept(r);
    return sum;
  }

  // Sets place[] and returns how many elements the tile keeps. All THREADS threads call it;
  // barrier() is theirs.
  template <class Barrier>
  __device__ unsigned rank(unsigned (&warp_sums)[WARPS], const Barrier& barrier) {
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    unsigned packed = 0;  // byte r: the count of round r
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) packed |= kept(r) << (8 * r);
    const unsigned inclusive = warp_inclusive_scan(packed);
    const unsigned before_lane = inclusive - packed;
    const unsigned warp_total = __shfl_sync(0xffffffffu, inclusive, 31);

    unsigned round_start = 0;
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) {
      place[r] = round_start + (before_lane >> (8 * r) & 0xff);
      round_start += warp_total >> (8 * r) & 0xff;
    }
    if (lane == 0) warp_sums[warp] = round_start;
    barrier();

    const unsigned sums = warp_inclusive_scan(lane < WARPS ? warp_sums[lane] : 0u);
    const unsigned earlier_warps = __shfl_sync(0xffffffffu, sums, warp > 0 ? warp - 1 : 0);
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) place[r] += warp > 0 ? earlier_warps : 0;
    return __shfl_sync(0xffffffffu, sums, WARPS - 1);
  }

  // The same for a whole block.
  __device__ unsigned rank() {
    __shared__ unsigned warp_sums[WARPS];
    return rank(warp_sums, [] { __syncthreads(); });
  }

  // Writes the kept elements to out[place], in shared or global memory.
  __device__ void scatter(float* out) const {
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) {
      int i = place[r];
      if (v[r].x > 0.0f) out[i++] = v[r].x;
      if (v[r].y > 0.0f) out[i++] = v[r].y;
      if (v[r].z > 0.0f) out[i++] = v[r].z;
      if (v[r].w > 0.0f) out[i] = v[r].w;
    }
  }
};
