#pragma once
// How often each digit occurs in all keys, for all four passes of an 8-bit radix sort at once.

#include "radix_tile.h"

constexpr int PASSES = 4;

// counts[pass][digit] must be zero. `in` is aligned to 16 bytes. A block has COPIES counters of
// each digit, side by side: neighbouring lanes with the same digit then add to different words.
template <int COPIES, int COUNT_THREADS>
__global__ void count_all_digits(const unsigned* in, unsigned* counts, int n) {
  extern __shared__ unsigned block_counts[];  // [PASSES * RADIX][COPIES]
  const int tid = threadIdx.x;
  for (int i = tid; i < PASSES * RADIX * COPIES; i += COUNT_THREADS) block_counts[i] = 0;
  __syncthreads();

  const auto count = [&](unsigned key) {
    for (int pass = 0; pass < PASSES; ++pass) {
      const int counter = pass * RADIX + digit_of(key, 8 * pass);
      atomicAdd(&block_counts[counter * COPIES + tid % COPIES], 1u);
    }
  };
  const uint4* in4 = reinterpret_cast<const uint4*>(in);
  const int stride = gridDim.x * COUNT_THREADS;
  for (int i = blockIdx.x * COUNT_THREADS + tid; i < n / 4; i += stride) {
    const uint4 keys = in4[i];
    count(keys.x);
    count(keys.y);
    count(keys.z);
    count(keys.w);
  }
  if (blockIdx.x == 0 && tid < n % 4) count(in[n / 4 * 4 + tid]);  // the last three at most
  __syncthreads();

  for (int i = tid; i < PASSES * RADIX; i += COUNT_THREADS) {
    unsigned sum = 0;
    for (int copy = 0; copy < COPIES; ++copy) {
      sum += block_counts[i * COPIES + (copy + tid) % COPIES];  // lanes read different banks
    }
    if (sum != 0) atomicAdd(&counts[i], sum);
  }
}

// `counts` has PASSES * RADIX elements. BLOCKS run on a multiprocessor at once.
template <int COPIES = 1, int COUNT_THREADS = 512, int BLOCKS = 4>
void count_all_digits_of(const unsigned* in, unsigned* counts, int n) {
  constexpr int bytes = PASSES * RADIX * COPIES * sizeof(unsigned);
  const auto kernel = count_all_digits<COPIES, COUNT_THREADS>;
  int device = 0;
  int processors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  const int needed = kata::ceil_div(n, 16 * COUNT_THREADS);
  const int blocks = needed < BLOCKS * processors ? needed : BLOCKS * processors;
  cudaMemsetAsync(counts, 0, PASSES * RADIX * sizeof(unsigned));
  kernel<<<blocks, COUNT_THREADS, bytes>>>(in, counts, n);
}
