#pragma once
// An inclusive scan of counts of any length, for the operators that are built on one.

#include "block_scan.h"
#include "scan_levels.h"

constexpr int COUNT_THREADS = 256;
constexpr int COUNT_TILE = 4 * COUNT_THREADS;

// Scans each tile by itself; scan_levels() joins the tiles.
template <class T>
__global__ void scan_count_tiles(const T* in, T* out, T* totals, int n) {
  const int first = blockIdx.x * COUNT_TILE;
  T carry = 0;
  for (int i = threadIdx.x; i < COUNT_TILE; i += COUNT_THREADS) {
    const T value = i < n - first ? in[first + i] : T(0);
    T total;
    const T before = block_exclusive_scan<COUNT_THREADS>(value, total);
    if (i < n - first) out[first + i] = carry + before + value;
    carry += total;
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = carry;
}

// `in` and `out` may be the same.
template <class T>
void inclusive_scan(const T* in, T* out, int n) {
  scan_levels<T>(scan_count_tiles<T>, COUNT_THREADS, COUNT_TILE, in, out, n);
}
