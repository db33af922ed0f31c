// Two kernels: many blocks, each with a best pair of its own, then one block over those pairs.
//
// Shuffles move value and index together, two per step. A thread past the end keeps the pair that
// loses against every element and stays in the shuffles. The number of blocks is at most 1024, and
// each thread strides: the scratch needs no more than 1024 pairs, however large n is.
// The rung to reach in 30 minutes.
//
// Prediction: 256 threads x 8 blocks per SM with a 4-byte load each in flight: 8 KB per SM, where
// 23 KB are needed, unless the compiler unrolls the loop four times: 62 to 180 us at 2^26. The
// second launch costs 2 us.
// Measured: 116.8 us at 67108864, 54 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/best.h"

constexpr int THREADS = 256;
constexpr int MAX_BLOCKS = 1024;

__device__ Best block_bests[MAX_BLOCKS];

__global__ void best_of_each_block(const float* x, int n) {
  Best best = no_best();
  const unsigned stride = gridDim.x * THREADS;
  for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < n; i += stride) {
    best = better(best, {x[i], static_cast<int>(i)});
  }
  best = block_best<THREADS>(best);
  if (threadIdx.x == 0) block_bests[blockIdx.x] = best;
}

__global__ void best_of_all_blocks(int* index, int blocks) {
  const int tid = threadIdx.x;
  const Best best = block_best<MAX_BLOCKS>(tid < blocks ? block_bests[tid] : no_best());
  if (tid == 0) *index = best.index;
}

extern "C" void argmax(const float* x, int* index, int n) {
  const int blocks = min(kata::ceil_div(n, THREADS), MAX_BLOCKS);
  best_of_each_block<<<blocks, THREADS>>>(x, n);
  best_of_all_blocks<<<1, MAX_BLOCKS>>>(index, blocks);
}
