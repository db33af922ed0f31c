// Bitonic sort: a fixed network of compare-exchanges, one launch per step of the network.
//
// The array is padded to a power of two with the largest key. Stage by stage, sorted runs of twice
// the length appear: a run that rises and one that falls together are bitonic, and log2(2 * length)
// steps sort them. All exchanges of a step are independent.
//
// Prediction: log2(n) = 26 stages are 26 * 27 / 2 = 351 steps at 2^26. Each reads and writes the
// array, 537 MB, 130 us at 4144 GB/s: 46 ms. A radix sort with 8-bit digits needs 4 passes.
// Measured: 57311.4 us at 67108864, 0.3 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "../common/scratch.h"

constexpr int THREADS = 256;

__global__ void pad(const unsigned* in, unsigned* keys, int n, unsigned size) {
  const unsigned i = blockIdx.x * THREADS + threadIdx.x;
  if (i < size) keys[i] = i < static_cast<unsigned>(n) ? in[i] : 0xffffffffu;
}

// One step: each thread compares two keys `distance` apart. Runs of `length` keys rise and fall by
// turns.
__global__ void compare_exchange(unsigned* keys, unsigned size, unsigned length,
                                 unsigned distance) {
  const unsigned pair = blockIdx.x * THREADS + threadIdx.x;
  if (pair >= size / 2) return;
  const unsigned low = 2 * pair - (pair & (distance - 1));
  const unsigned high = low + distance;
  const bool rising = (low & length) == 0;
  const unsigned a = keys[low];
  const unsigned b = keys[high];
  if ((a > b) == rising) {
    keys[low] = b;
    keys[high] = a;
  }
}

extern "C" void radix_sort(const unsigned* in, unsigned* out, int n) {
  static Scratch<unsigned> scratch;
  unsigned size = 1;
  while (size < static_cast<unsigned>(n)) size *= 2;
  unsigned* keys = scratch.get(size);

  pad<<<kata::ceil_div(size, THREADS), THREADS>>>(in, keys, n, size);
  for (unsigned length = 2; length <= size && length != 0; length *= 2) {
    for (unsigned distance = length / 2; distance > 0; distance /= 2) {
      compare_exchange<<<kata::ceil_div(size / 2, THREADS), THREADS>>>(keys, size, length,
                                                                       distance);
    }
  }
  cudaMemcpyAsync(out, keys, n * sizeof(unsigned), cudaMemcpyDeviceToDevice);
}
