// Hillis and Steele: in step d, every element adds the element 2^d places before it.
//
// After log2(512) = 9 steps each element holds its prefix sum within the tile. Two buffers swap
// roles, so one barrier per step is enough. The tiles' totals are scanned by the same kernel, level
// by level (common/scan_levels.h).
//
// Prediction: 2^26 elements move 4n words: scan (read, write), add (read, write). 1.07 GB at
// 4144 GB/s is 259 us. The tile itself costs more: 16 warps * 9 steps * 3 shared accesses = 432
// wavefronts per 512 elements, 2^17 tiles / 132 SMs * 432 clocks = 217 us of shared memory, and a
// barrier per step with 4 blocks per SM to cover it: about 600 us in all.
// Measured: 609.4 us at 67108864, 29 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "../common/scan_levels.h"

constexpr int TILE = 512;  // one element per thread

__global__ void scan_tiles(const float* x, float* y, float* totals, int n) {
  __shared__ float buffer[2][TILE];
  const int tid = threadIdx.x;
  const int first = blockIdx.x * TILE;
  const bool in_bounds = tid < n - first;

  int current = 0;
  buffer[current][tid] = in_bounds ? x[first + tid] : 0.0f;
  __syncthreads();
  for (int distance = 1; distance < TILE; distance *= 2) {
    const float value = buffer[current][tid];
    buffer[1 - current][tid] = tid >= distance ? value + buffer[current][tid - distance] : value;
    current = 1 - current;
    __syncthreads();
  }

  if (in_bounds) y[first + tid] = buffer[current][tid];
  if (tid == TILE - 1) totals[blockIdx.x] = buffer[current][tid];
}

extern "C" void scan(const float* x, float* y, int n) {
  scan_levels<float>(scan_tiles, TILE, TILE, x, y, n);
}
