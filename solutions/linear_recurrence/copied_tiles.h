#pragma once
// Rung 5's kernel, which later rungs use for more than four channels: tiles of 64 steps x 32
// channels, copied ahead.

#include <cuda_pipeline_primitives.h>

#include "maps.h"

inline __global__ void __launch_bounds__(TILE_THREADS, 4)
    copied_tiles_kernel(const float* a, const float* b, float* h, int length, int channels) {
  constexpr int STEPS = 8;  // per thread
  constexpr int TILE = TILE_WARPS * STEPS;
  __shared__ float stages[2][2][TILE][32];  // [stage][a, b]
  __shared__ WarpMaps<32> of_warps[2];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int groups = kata::ceil_div(channels, 32);
  const int channel = blockIdx.x % groups * 32 + lane;
  const size_t first = static_cast<size_t>(blockIdx.x / groups) * length * channels + channel;

  // How many of this thread's steps exist; may be negative.
  const auto count_of = [&](int tile) {
    return channel < channels ? min(STEPS, length - tile * TILE - warp * STEPS) : 0;
  };
  const auto place_of = [&](int tile, int k) {
    return first + static_cast<size_t>(tile * TILE + warp * STEPS + k) * channels;
  };
  const auto start_copy = [&](int tile) {
    const int count = count_of(tile);
#pragma unroll
    for (int k = 0; k < STEPS; ++k) {
      if (k >= count) continue;
      auto& stage = stages[tile % 2];
      __pipeline_memcpy_async(&stage[0][warp * STEPS + k][lane], a + place_of(tile, k), 4);
      __pipeline_memcpy_async(&stage[1][warp * STEPS + k][lane], b + place_of(tile, k), 4);
    }
    __pipeline_commit();
  };

  start_copy(0);
  float carry = 0.0f;  // h at the end of the last tile
  for (int tile = 0; tile * TILE < length; ++tile) {
    start_copy(tile + 1);
    __pipeline_wait_prior(1);
    const int count = count_of(tile);
    float as[STEPS], bs[STEPS];
    Map map{1.0f, 0.0f};
#pragma unroll
    for (int k = 0; k < STEPS; ++k) {
      as[k] = k < count ? stages[tile % 2][0][warp * STEPS + k][lane] : 1.0f;
      bs[k] = k < count ? stages[tile % 2][1][warp * STEPS + k][lane] : 0.0f;
      if (tile == 0 && warp == 0 && k == 0) as[k] = 0.0f;
      map = then(map, {as[k], bs[k]});
    }
    const Scanned scanned = scan_maps<32>(map, of_warps[tile % 2]);
    float value = scanned.before.a * carry + scanned.before.b;
    carry = scanned.total.a * carry + scanned.total.b;
#pragma unroll
    for (int k = 0; k < STEPS; ++k) {
      value = as[k] * value + bs[k];
      if (k < count) h[place_of(tile, k)] = value;
    }
  }
}

inline void launch_copied_tiles(const float* a, const float* b, float* h, int batch, int length,
                                int channels) {
  const int blocks = batch * kata::ceil_div(channels, 32);
  copied_tiles_kernel<<<blocks, TILE_THREADS>>>(a, b, h, length, channels);
}
