#pragma once
// The host side of a scan that works tile by tile: scan every tile, scan the tiles' totals, add.
//
// The totals are an array of n / tile elements. If they fill more than one tile, the same three
// steps apply to them, so any n works: two levels end at n = tile * tile, three at tile^3.

#include <kata/kata.h>

#include "scratch.h"

// Scans each tile of x into y by itself, and stores the tile's sum in totals[blockIdx.x].
template <class T>
using TileKernel = void (*)(const T* x, T* y, T* totals, int n);

// Adds the sum of all earlier tiles. The first tile has none, so block b works on tile b + 1.
template <class T>
__global__ void add_totals(T* y, const T* totals, int n, int tile) {
  const int first = (blockIdx.x + 1) * tile;
  const T before = totals[blockIdx.x];
  for (int i = threadIdx.x; i < tile && i < n - first; i += blockDim.x) y[first + i] += before;
}

template <class T>
void scan_level(TileKernel<T> scan_tiles, int threads, int tile, const T* x, T* y, int n,
                T* totals) {
  const int tiles = kata::ceil_div(n, tile);
  scan_tiles<<<tiles, threads>>>(x, y, totals, n);
  if (tiles == 1) return;
  scan_level<T>(scan_tiles, threads, tile, totals, totals, tiles, totals + tiles);  // in place
  add_totals<T><<<tiles - 1, 256>>>(y, totals, n, tile);
}

// y = inclusive scan of x. `scan_tiles` runs with `threads` threads per tile of `tile` elements.
template <class T>
void scan_levels(TileKernel<T> scan_tiles, int threads, int tile, const T* x, T* y, int n) {
  static Scratch<T> scratch;
  const int tiles = kata::ceil_div(n, tile);
  scan_level<T>(scan_tiles, threads, tile, x, y, n, scratch.get(2 * size_t(tiles)));  // all levels
}
