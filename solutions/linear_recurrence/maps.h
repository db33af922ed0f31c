#pragma once
// Maps h -> a h + b, and their scan over the threads of a block.

#include <kata/kata.h>

struct Map {
  float a, b;
};

/// What two maps do, one after the other. The order matters.
__device__ inline Map then(Map first, Map second) {
  return {second.a * first.a, second.a * first.b + second.b};
}

__device__ inline Map shuffle_up(Map map, int distance) {
  return {__shfl_up_sync(0xffffffffu, map.a, distance),
          __shfl_up_sync(0xffffffffu, map.b, distance)};
}

constexpr int TILE_THREADS = 256;
constexpr int TILE_WARPS = TILE_THREADS / 32;

/// The threads of a block as segments of time, WIDTH columns each: thread t has column t % WIDTH of
/// segment t / WIDTH. WIDTH is a power of two up to 32.
template <int WIDTH>
using WarpMaps = Map[TILE_WARPS][WIDTH];

struct Scanned {
  Map before;  // what all earlier segments of this column do
  Map total;   // what all segments of this column do
};

/// All threads call it. One barrier: the caller sees to it that nobody still reads `of_warps`.
template <int WIDTH>
__device__ Scanned scan_maps(Map map, WarpMaps<WIDTH>& of_warps) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, column = threadIdx.x % WIDTH;
  Map before{1.0f, 0.0f};
  if constexpr (WIDTH < 32) {
    for (int distance = WIDTH; distance < 32; distance *= 2) {
      const Map lower = shuffle_up(map, distance);
      if (lane >= distance) map = then(lower, map);
    }
    const Map lower = shuffle_up(map, WIDTH);
    if (lane >= WIDTH) before = lower;
  }
  if (lane >= 32 - WIDTH) of_warps[warp][column] = map;
  __syncthreads();
  Map earlier_warps{1.0f, 0.0f}, total{1.0f, 0.0f};
#pragma unroll
  for (int w = 0; w < TILE_WARPS; ++w) {
    if (w == warp) earlier_warps = total;
    total = then(total, of_warps[w][column]);
  }
  return {then(earlier_warps, before), total};
}
