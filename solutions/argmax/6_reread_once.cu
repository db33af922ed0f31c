// Only the winner of each block reads its float4 again, to find which of the four it was.
//
// In rungs 3 to 5 every thread does. At 2^26 that is 270336 reads at random places, long after the
// data left L2: device memory moves 64 bytes for each, 17 MB. Here the block first compares values
// and numbers of float4: of equal values the smaller number wins, and in a float4 the first
// element. 264 reads remain. With fewer threads, each has 8 loads in flight.
//
// Prediction: 17 MB less of 268 + 17 MB, 4 us: 63.5 us at 2^26 instead of 67.5. At 2^24 every block
// saves the latency of one read of memory: 1 us.
// Measured: 64.6 us at 67108864, 97 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/best.h"
#include "../common/grid_size.h"

constexpr int THREADS = 512;
constexpr int BLOCKS_PER_SM = 2;
constexpr int UNROLL = 8;

__device__ unsigned long long best_key;  // 0 between two calls
__device__ unsigned tickets;             // 0 between two calls

__device__ unsigned long long key_of(Best best) {
  const unsigned bits = __float_as_uint(best.value + 0.0f);  // -0 becomes 0
  const unsigned ordered = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  return static_cast<unsigned long long>(ordered) << 32 | ~static_cast<unsigned>(best.index);
}

// The largest value that this thread reads, and the number of the first float4 that holds it.
__device__ Best best_float4(const float4* x4, int count4) {
  const int stride4 = gridDim.x * THREADS * UNROLL;
  Best best = no_best();
  for (int first = blockIdx.x * THREADS * UNROLL + threadIdx.x; first < count4; first += stride4) {
    if (best.index == INT_MAX) best.index = first;  // in case all values are minus infinity
    float4 v[UNROLL];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) v[k] = x4[min(first + k * THREADS, count4 - 1)];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) {
      const float largest = fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w));
      if (largest > best.value) best = {largest, min(first + k * THREADS, count4 - 1)};
    }
  }
  return best;
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    argmax_kernel(const float* x, int* index, int n) {
  const float4* x4 = reinterpret_cast<const float4*>(x);
  const int count4 = n / 4;
  Best best = block_best<THREADS>(best_float4(x4, count4));
  if (threadIdx.x != 0) return;

  if (best.index != INT_MAX) {
    const float4 v = x4[best.index];
    const int k = v.x == best.value ? 0 : v.y == best.value ? 1 : v.z == best.value ? 2 : 3;
    best.index = 4 * best.index + k;
  }
  if (blockIdx.x == 0) {
    for (int i = 4 * count4; i < n; ++i) best = better(best, {x[i], i});
  }

  atomicMax(&best_key, key_of(best));
  __threadfence();  // the key is visible before the ticket is drawn
  if (atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1) {
    const unsigned long long key = atomicExch(&best_key, 0);
    *index = static_cast<int>(~static_cast<unsigned>(key));
  }
}

extern "C" void argmax(const float* x, int* index, int n) {
  const int needed = kata::ceil_div(n, 4 * THREADS * UNROLL);
  argmax_kernel<<<one_wave(needed, BLOCKS_PER_SM), THREADS>>>(x, index, n);
}
