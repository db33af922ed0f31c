// Several copies of each count, interleaved so that neighbouring lanes use different banks.
//
// A shared atomic of a warp takes one turn per address in the fullest bank. 32 random bins put 3.5
// addresses into the fullest of 32 banks on average. With C copies, lane l adds to word bin * C +
// l % C. For C = 32 every lane owns a bank, and no two lanes collide for any data. C is the
// largest power of two for which all copies fit 48 KiB: 32 up to 384 bins, 2 at 4096 bins.
//
// Prediction: 3.5 turns become 1 at 256 bins: up to 3.5 times as fast as rung 3 if the turns are
// the limit. At 4096 bins (C = 2) almost no change. The merge reads 32 words per bin: 8192 words
// per block, 16 per thread, which is small against 127 thousand elements per block. Missed: memory
// limits rung 3, so fewer turns gain nothing.
// Measured: 70.9 us at 67108864x256, 87 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/grid_size.h"
#include "each_value.h"

constexpr int THREADS = 512;
constexpr int BLOCKS_PER_SM = 4;  // 2048 threads, 32 registers each, 192 KiB at most
constexpr int UNROLL = 4;
constexpr int MAX_WORDS = 48 * 1024 / sizeof(int);

__global__ void histogram_kernel(const int* x, int* counts, int n, int bins, int copies) {
  extern __shared__ int local[];  // [bins][copies]
  const int tid = threadIdx.x;
  for (int word = tid; word < bins * copies; word += THREADS) local[word] = 0;
  __syncthreads();

  const int copy = tid % copies;
  each_value<UNROLL>(x, n, [&](int bin) { atomicAdd(&local[bin * copies + copy], 1); });
  __syncthreads();

  for (int bin = tid; bin < bins; bin += THREADS) {
    int count = 0;
    for (int c = 0; c < copies; ++c) {  // each lane starts at another copy: another bank
      count += local[bin * copies + (c + tid) % copies];
    }
    if (count > 0) atomicAdd(&counts[bin], count);
  }
}

__global__ void many_bins_kernel(const int* x, int* counts, int n) {
  each_value<UNROLL>(x, n, [&](int bin) { atomicAdd(&counts[bin], 1); });
}

extern "C" void histogram(const int* x, int* counts, int n, int bins) {
  const int needed = kata::ceil_div(n, 4 * THREADS * UNROLL);
  const int grid = one_wave(needed, BLOCKS_PER_SM);
  cudaMemsetAsync(counts, 0, sizeof(int) * bins);
  if (bins > MAX_WORDS) {
    many_bins_kernel<<<grid, THREADS>>>(x, counts, n);
    return;
  }
  int copies = 1;
  while (copies < 32 && bins * copies * 2 <= MAX_WORDS) copies *= 2;
  const size_t bytes = sizeof(int) * bins * copies;
  histogram_kernel<<<grid, THREADS, bytes>>>(x, counts, n, bins, copies);
}
