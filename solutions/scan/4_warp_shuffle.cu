// Several elements per thread, then shuffles: the scan moves from shared memory into registers.
//
// The rung to reach in 30 minutes. A thread adds up 15 consecutive elements by itself; only the 256
// thread sums need a parallel scan: 5 shuffles in each warp, 5 for the 8 warp sums. Consecutive
// elements per thread would be uncoalesced loads, so the tile passes through shared memory. 15 is
// odd: lanes 15 words apart lie in 32 different banks.
//
// Prediction: two barriers' worth of waiting instead of 20, and 4 shared accesses per element in
// place of about 12: memory is the limit. 4n words at 2^26 is 259 us; the tile totals add 1 %.
// Measured: 424.5 us at 67108864, 41 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "../common/scan_levels.h"

constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;
constexpr int ITEMS = 15;
constexpr int TILE = THREADS * ITEMS;
constexpr unsigned ALL_LANES = 0xffffffffu;

// The sum of this lane's value and those of all lower lanes.
__device__ float warp_scan(float value) {
  const int lane = threadIdx.x % 32;
  for (int offset = 1; offset < 32; offset *= 2) {
    const float lower = __shfl_up_sync(ALL_LANES, value, offset);
    if (lane >= offset) value += lower;
  }
  return value;
}

// The sum of the values of all lower threads of the block.
__device__ float block_exclusive_scan(float value) {
  __shared__ float warp_sums[WARPS];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const float inclusive = warp_scan(value);
  if (lane == 31) warp_sums[warp] = inclusive;
  __syncthreads();
  float before = 0.0f;
  for (int w = 0; w < warp; ++w) before += warp_sums[w];  // at most 7, the same in all lanes
  const float lower = __shfl_up_sync(ALL_LANES, inclusive, 1);
  return lane > 0 ? before + lower : before;
}

__global__ void scan_tiles(const float* x, float* y, float* totals, int n) {
  __shared__ float tile[TILE];
  const int tid = threadIdx.x;
  const int first = blockIdx.x * TILE;
  const int count = n - first;  // elements of this tile that exist, if fewer than TILE
  for (int i = tid; i < TILE; i += THREADS) tile[i] = i < count ? x[first + i] : 0.0f;
  __syncthreads();

  float item[ITEMS];  // item[k] is the sum of this thread's elements 0..k
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) item[k] = sum += tile[tid * ITEMS + k];

  const float before = block_exclusive_scan(sum);
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) tile[tid * ITEMS + k] = before + item[k];
  __syncthreads();
  for (int i = tid; i < TILE && i < count; i += THREADS) y[first + i] = tile[i];
  if (tid == THREADS - 1) totals[blockIdx.x] = before + sum;
}

extern "C" void scan(const float* x, float* y, int n) {
  scan_levels<float>(scan_tiles, THREADS, TILE, x, y, n);
}
