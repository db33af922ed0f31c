// Bitonic partial sort: of two sorted runs of k keys, half of the keys can be dropped at once.
//
// A tile is sorted in runs of K keys, K a power of two from k on, falling and rising by turns. The
// larger ones of a[i] and b[i] in two neighbouring runs are the K largest of both, and bitonic
// again. Shanbhag, Pirk and Madden, "Efficient Top-K Query Processing on GPUs", 2018. Each launch
// leaves K keys of a tile of 4096. Beyond K = 2048 it sorts everything.
//
// Prediction at 2^26: k = 8: 5000 wavefronts of shared memory per tile, 0.3 ms. k = 2048: 66 steps
// on all keys, 12 launches over 2n keys in all: 2.5 ms. Missed: two blocks of 1024 threads per SM
// do not hide each other's barriers.
// Measured: 1492.7 us at 67108864x100, 4.1 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/float_key.h"
#include "../common/scratch.h"
#include "bitonic.h"

constexpr unsigned THREADS = 1024;
constexpr unsigned TILE = 4096;
constexpr unsigned LARGEST_RUN = TILE / 2;

__device__ unsigned load_key(const float* x, unsigned i) {
  return key_of(x[i]);
}
__device__ unsigned load_key(const unsigned* keys, unsigned i) {
  return keys[i];
}

// The `run` largest keys of each tile, in falling order.
template <class T>
__global__ void reduce_tiles(const T* in, unsigned n, unsigned* out, unsigned run) {
  __shared__ unsigned keys[TILE];
  const unsigned tid = threadIdx.x;
  const unsigned first = blockIdx.x * TILE;
  for (unsigned i = tid; i < TILE; i += THREADS) {
    keys[i] = i < n - first ? load_key(in, first + i) : NO_KEY;
  }
  __syncthreads();
  sort_runs(keys, TILE, run);
  for (unsigned size = TILE / 2; size >= run; size /= 2) {
    unsigned larger[LARGEST_RUN / THREADS];
#pragma unroll
    for (unsigned j = 0; j < LARGEST_RUN / THREADS; ++j) {
      const unsigned i = j * THREADS + tid;
      const unsigned a = (i / run) * 2 * run + i % run;  // its partner is in the next run
      if (i < size) larger[j] = max(keys[a], keys[a + run]);
    }
    __syncthreads();
#pragma unroll
    for (unsigned j = 0; j < LARGEST_RUN / THREADS; ++j) {
      const unsigned i = j * THREADS + tid;
      if (i < size) keys[i] = larger[j];
    }
    __syncthreads();
    merge_runs(keys, size, run);  // run 0 falls, run 1 rises, ...
  }
  for (unsigned i = tid; i < run; i += THREADS) out[blockIdx.x * run + i] = keys[i];
}

__global__ void store_floats(const unsigned* keys, float* y, unsigned k) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < k) y[i] = float_of(keys[i]);
}

__global__ void make_keys(const float* x, unsigned* keys, unsigned n, unsigned size) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) keys[i] = i < n ? key_of(x[i]) : NO_KEY;
}

extern "C" void topk(const float* x, float* y, int n, int k) {
  static Scratch<unsigned> scratch;
  const unsigned run = power_of_two_from(k);
  const unsigned stored = kata::ceil_div(k, 256);  // blocks
  if (run > LARGEST_RUN) {
    const unsigned size = power_of_two_from(n);
    unsigned* keys = scratch.get(size);
    make_keys<<<kata::ceil_div(size, 256), 256>>>(x, keys, n, size);
    sort_descending(keys, size);
    store_floats<<<stored, 256>>>(keys, y, k);
    return;
  }
  unsigned tiles = kata::ceil_div(n, TILE);
  const size_t half = size_t(tiles) * run;
  unsigned* keys = scratch.get(2 * half);
  unsigned* other = keys + half;
  reduce_tiles<<<tiles, THREADS>>>(x, unsigned(n), keys, run);
  while (tiles > 1) {
    const unsigned left = tiles * run;
    tiles = kata::ceil_div(left, TILE);
    reduce_tiles<<<tiles, THREADS>>>(keys, left, other, run);
    unsigned* const swap = keys;
    keys = other;
    other = swap;
  }
  store_floats<<<stored, 256>>>(keys, y, k);
}
