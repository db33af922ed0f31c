#pragma once
// How often each digit occurs in all keys, for all four passes of an 8-bit radix sort at once.

#include "radix_tile.h"

constexpr int PASSES = 4;
constexpr int COUNT_DIGITS_THREADS = 512;

// counts[pass][digit] must be zero. `in` is aligned to 16 bytes.
__global__ void count_all_digits(const unsigned* in, unsigned* counts, int n) {
  __shared__ unsigned block_counts[PASSES * RADIX];
  const int tid = threadIdx.x;
  for (int i = tid; i < PASSES * RADIX; i += COUNT_DIGITS_THREADS) block_counts[i] = 0;
  __syncthreads();

  const auto count = [&](unsigned key) {
    for (int pass = 0; pass < PASSES; ++pass) {
      atomicAdd(&block_counts[pass * RADIX + digit_of(key, 8 * pass)], 1u);
    }
  };
  const uint4* in4 = reinterpret_cast<const uint4*>(in);
  const int stride = gridDim.x * COUNT_DIGITS_THREADS;
  for (int i = blockIdx.x * COUNT_DIGITS_THREADS + tid; i < n / 4; i += stride) {
    const uint4 keys = in4[i];
    count(keys.x);
    count(keys.y);
    count(keys.z);
    count(keys.w);
  }
  if (blockIdx.x == 0 && tid < n % 4) count(in[n / 4 * 4 + tid]);  // the last three at most
  __syncthreads();

  for (int i = tid; i < PASSES * RADIX; i += COUNT_DIGITS_THREADS) {
    if (block_counts[i] != 0) atomicAdd(&counts[i], block_counts[i]);
  }
}

// `counts` has PASSES * RADIX elements.
inline void count_all_digits_of(const unsigned* in, unsigned* counts, int n) {
  int device = 0;
  int processors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  const int needed = kata::ceil_div(n, 16 * COUNT_DIGITS_THREADS);
  const int blocks = needed < 4 * processors ? needed : 4 * processors;
  cudaMemsetAsync(counts, 0, PASSES * RADIX * sizeof(unsigned));
  count_all_digits<<<blocks, COUNT_DIGITS_THREADS>>>(in, counts, n);
}
