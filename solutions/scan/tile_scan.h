#pragma once
// The scan of one tile with 16-byte loads and stores, without shared memory for the elements.
//
// A warp owns 128 * ROUNDS consecutive floats. In round r lane l holds the four floats that start
// at 128 r + 4 l, so each load and each store of a warp covers 512 consecutive bytes. The order of
// the elements is: warp, round, lane, component. The scan follows it from the inside out.

#include "../common/block_scan.h"

template <int THREADS, int ROUNDS>
struct TileScan {
  static constexpr int WARPS = THREADS / 32;
  static constexpr int SIZE = 4 * THREADS * ROUNDS;

  float4 v[ROUNDS];
  float before[ROUNDS] = {};  // the sum of all earlier elements of the tile, after scan()

  __device__ static int offset(int round) {
    return (threadIdx.x / 32) * (128 * ROUNDS) + 128 * round + 4 * (threadIdx.x % 32);
  }

  // `tile` is aligned to 16 bytes. Only its first `count` elements exist; the others read as 0.
  __device__ void load(const float* tile, int count) {
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) {
      const int i = offset(r);
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

  // The sum of this thread's elements.
  __device__ float thread_sum() const {
    float sum = 0.0f;
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) sum += (v[r].x + v[r].y) + (v[r].z + v[r].w);
    return sum;
  }

  // Scans the tile and returns its total. All THREADS threads call it; barrier() is theirs.
  template <class Barrier>
  __device__ float scan(float (&warp_sums)[WARPS], const Barrier& barrier) {
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    float round_sums = 0.0f;
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) {
      v[r].y += v[r].x;
      v[r].z += v[r].y;
      v[r].w += v[r].z;
      const float inclusive = warp_inclusive_scan(v[r].w);
      const float exclusive = __shfl_up_sync(0xffffffffu, inclusive, 1);
      before[r] = round_sums + (lane > 0 ? exclusive : 0.0f);
      round_sums += __shfl_sync(0xffffffffu, inclusive, 31);
    }
    if (lane == 0) warp_sums[warp] = round_sums;
    barrier();

    const float sums = warp_inclusive_scan(lane < WARPS ? warp_sums[lane] : 0.0f);
    const float earlier_warps = __shfl_sync(0xffffffffu, sums, warp > 0 ? warp - 1 : 0);
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) before[r] += warp > 0 ? earlier_warps : 0.0f;
    return __shfl_sync(0xffffffffu, sums, WARPS - 1);
  }

  // The same for a whole block.
  __device__ float scan() {
    __shared__ float warp_sums[WARPS];
    const float total = scan(warp_sums, [] { __syncthreads(); });
    __syncthreads();  // warp_sums may be written again
    return total;
  }

  // Stores the scanned elements, each plus `carry`, the sum of all earlier tiles.
  __device__ void store(float* tile, int count, float carry) const {
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) {
      const float c = before[r] + carry;
      const float4 y = make_float4(v[r].x + c, v[r].y + c, v[r].z + c, v[r].w + c);
      const int i = offset(r);
      if (i + 4 <= count) {
        *reinterpret_cast<float4*>(tile + i) = y;
      } else {
        if (i < count) tile[i] = y.x;
        if (i + 1 < count) tile[i + 1] = y.y;
        if (i + 2 < count) tile[i + 2] = y.z;
      }
    }
  }
};
