#pragma once
// Rung 6's kernel: a block goes through all tiles of up to WIDTH channels.

#include "tile.h"

template <int WIDTH>
__global__ void __launch_bounds__(TILE_THREADS)
    narrow_tiles_kernel(const float* a, const float* b, float* h, int length, int channels) {
  __shared__ typename Tile<WIDTH>::Memory memory;
  __shared__ WarpMaps<WIDTH> of_warps;
  const Group group = Group::number<WIDTH>(blockIdx.x, length, channels);
  float carry = 0.0f;  // h at the end of the last tile
  for (int start = 0; start < length; start += Tile<WIDTH>::LENGTH) {
    Tile<WIDTH> tile;
    tile.load(a, b, group, start, memory);
    const Scanned scanned = scan_maps<WIDTH>(tile.map(), of_warps);
    tile.store(h, scanned.before.a * carry + scanned.before.b, group, start, memory);
    carry = scanned.total.a * carry + scanned.total.b;
  }
}

template <int WIDTH>
void launch_narrow_tiles(const float* a, const float* b, float* h, int batch, int length,
                         int channels) {
  const int blocks = batch * kata::ceil_div(channels, WIDTH);
  narrow_tiles_kernel<WIDTH><<<blocks, TILE_THREADS>>>(a, b, h, length, channels);
}
