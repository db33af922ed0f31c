#pragma once
// A lower bound for the k-th largest key, from a sample of x.
//
// Any m >= k keys give one: their k-th largest. Here they are the largest keys of 4096 groups, so
// few of the keys that they stand for are dropped, and few others pass the bound.

#include "radix_select.h"

constexpr int GROUPS = 4096;
constexpr int LARGEST_K = 3072;    // of the 4096 maxima
constexpr int SMALLEST_N = 16384;  // 4 elements per group
constexpr int SELECT_WARPS = SELECT_THREADS / 32;

// The k-th largest of the maxima, rounded down to 24 bits: one block finds one bit per step.
__device__ unsigned choose_bound(const unsigned* maxima, unsigned k) {
  __shared__ unsigned counts[32];  // one per step, so that one barrier per step is enough
  const int tid = threadIdx.x;
  unsigned keys[GROUPS / SELECT_THREADS];
#pragma unroll
  for (int j = 0; j < GROUPS / SELECT_THREADS; ++j) {
    keys[j] = __ldcg(&maxima[j * SELECT_THREADS + tid]);
  }
  if (tid < 32) counts[tid] = 0;
  __syncthreads();
  unsigned known = 0;
  for (int bit = 31; bit >= 8; --bit) {
    const unsigned trial = known | 1u << bit;
    unsigned at_least = 0;
    for (const unsigned key : keys) at_least += key >= trial;
    at_least = __reduce_add_sync(0xffffffffu, at_least);
    if (tid % 32 == 0) atomicAdd(&counts[bit], at_least);
    __syncthreads();
    if (counts[bit] >= k) known = trial;
  }
  return known;
}

// maxima[g] is the largest key in the first sixteenth of the g-th of 4096 parts of x, but of 4
// elements at least; a warp takes a group. The last block finds the bound.
__global__ void sample(const float* x, unsigned n, unsigned k, unsigned* maxima, unsigned* bound,
                       unsigned* blocks_done) {
  const unsigned part = n / GROUPS / 4 * 4;  // a multiple of 4 for float4
  const unsigned group_size = max(part / 16, 4u);
  const unsigned group = blockIdx.x * SELECT_WARPS + threadIdx.x / 32;
  const unsigned lane = threadIdx.x % 32;
  const float4* first = reinterpret_cast<const float4*>(x + size_t(group) * part);
  unsigned largest = NO_KEY;
  for (unsigned i = lane; i < group_size / 4; i += 32) {
    const float4 v = first[i];
    largest = max(max(largest, key_of(fmaxf(v.x, v.y))), key_of(fmaxf(v.z, v.w)));
  }
  largest = __reduce_max_sync(0xffffffffu, largest);
  if (lane == 0) maxima[group] = largest;
  if (!is_last_block(blocks_done)) return;
  const unsigned known = choose_bound(maxima, k);
  if (threadIdx.x == 0) *bound = known;
}

// Leaves the bound in maxima[GROUPS]. *blocks_done is 0 before and after.
inline void find_bound(const float* x, unsigned n, unsigned k, unsigned* maxima,
                       unsigned* blocks_done) {
  sample<<<GROUPS / SELECT_WARPS, SELECT_THREADS>>>(x, n, k, maxima, maxima + GROUPS, blocks_done);
}
