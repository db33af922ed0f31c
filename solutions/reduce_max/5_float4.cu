// One float4 per thread: four elements per load instruction, and half the blocks again.
//
// count4 threads load a float4, and n - 4 * count4 threads also load one of the other elements:
// the tail, or all of x if it is not aligned to 16 bytes. The grid is rounded up once, from the
// larger of the two counts; rounding n / 4 / 512 down would lose the last block.
//
// Prediction: 16 blocks one after the other: 13 us at 2^24, less than the 16 us that memory takes.
// 2048 threads have 32 KB in flight, and an SM needs 23 KB, but only while all of them wait for a
// load. While a block reduces and the next one starts, fewer bytes are in flight: expect more than
// 16 us.
// Measured: 24.7 us at 16777216, 74 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include <math.h>

#include "../common/aligned.h"
#include "atomic_max.h"
#include "block_max.h"

constexpr int THREADS = 512;

__global__ void reduce_max_kernel(const float* x, float* max, int n, int count4) {
  const int tid = threadIdx.x;
  const int i = blockIdx.x * THREADS + tid;
  float value = -INFINITY;
  if (i < count4) {
    const float4 v = reinterpret_cast<const float4*>(x)[i];
    value = max_of(v);
  }
  const int tail = n - 4 * count4;
  if (i < tail) value = fmaxf(value, x[4 * count4 + i]);

  const float result = block_max<THREADS>(value);
  if (tid == 0) atomic_max(max, result);
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  const int count4 = is_aligned16(x) ? n / 4 : 0;
  const int tail = n - 4 * count4;
  const int threads_needed = count4 > tail ? count4 : tail;
  start_kernel<<<1, 1>>>(max);
  reduce_max_kernel<<<kata::ceil_div(threads_needed, THREADS), THREADS>>>(x, max, n, count4);
}
