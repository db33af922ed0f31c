// Four bits per pass: sort each tile by its digit in shared memory, then place 16 runs per tile.
//
// 8 passes instead of 32. The counts form a table with one row per digit and one column per tile;
// scanned row by row, an entry says where that tile's keys with that digit go. Sorting the tile
// first makes the keys of a digit neighbours, so the stores are runs. Satish, Harris and Garland,
// "Designing Efficient Sorting Algorithms for Manycore GPUs", 2009.
//
// Prediction: 3n words per pass, 194 us at 2^26, times 8: 1.6 ms. But the tile's sort by four
// 1-bit splits has 8 barriers and 16 shared accesses per 4 keys, and a run has 64 keys in a tile of
// 1024: about twice that, 3 ms.
// Measured: 4596.7 us at 67108864, 3.8 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "../common/count_scan.h"

constexpr int THREADS = 256;
constexpr int ITEMS = 4;
constexpr int TILE = THREADS * ITEMS;
constexpr int DIGITS = 16;

__device__ unsigned digit_of(unsigned key, int shift) {
  return key >> shift & (DIGITS - 1);
}

// counts[digit][tile]: digit-major, so that one scan of the table gives all places.
__global__ void count_digits(const unsigned* in, unsigned* counts, int n, int shift) {
  __shared__ unsigned tile_counts[DIGITS];
  const int first = blockIdx.x * TILE;
  if (threadIdx.x < DIGITS) tile_counts[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < TILE && i < n - first; i += THREADS) {
    atomicAdd(&tile_counts[digit_of(in[first + i], shift)], 1);
  }
  __syncthreads();
  if (threadIdx.x < DIGITS) {
    counts[threadIdx.x * gridDim.x + blockIdx.x] = tile_counts[threadIdx.x];
  }
}

// Sorts the tile in shared memory by the four bits from `shift` on: four stable 1-bit splits.
__device__ void sort_tile(unsigned* keys, int shift) {
  const int tid = threadIdx.x;
  for (int bit = shift; bit < shift + 4; ++bit) {
    unsigned key[ITEMS];
    unsigned ones = 0;
    for (int k = 0; k < ITEMS; ++k) {
      key[k] = keys[tid * ITEMS + k];
      ones += key[k] >> bit & 1;
    }
    unsigned all_ones;
    unsigned ones_before = block_exclusive_scan<THREADS>(ones, all_ones);  // all have read
    for (int k = 0; k < ITEMS; ++k) {
      const bool is_one = key[k] >> bit & 1;
      const unsigned zeros_before = tid * ITEMS + k - ones_before;
      keys[is_one ? TILE - all_ones + ones_before : zeros_before] = key[k];
      ones_before += is_one;
    }
    __syncthreads();
  }
}

// places[digit][tile] counts the keys up to and including this entry of the table.
__global__ void scatter(const unsigned* in, unsigned* out, const unsigned* places, int n,
                        int shift) {
  __shared__ unsigned keys[TILE];
  __shared__ int digit_start[DIGITS];  // where the digit's run starts in the sorted tile
  const int tid = threadIdx.x;
  const int first = blockIdx.x * TILE;
  for (int i = tid; i < TILE; i += THREADS) {
    keys[i] = i < n - first ? in[first + i] : 0xffffffffu;  // missing keys sort to the end
  }
  __syncthreads();
  sort_tile(keys, shift);
  for (int i = tid; i < TILE; i += THREADS) {
    const unsigned digit = digit_of(keys[i], shift);
    if (i == 0 || digit_of(keys[i - 1], shift) != digit) digit_start[digit] = i;
  }
  __syncthreads();
  for (int i = tid; i < TILE && i < n - first; i += THREADS) {
    const unsigned digit = digit_of(keys[i], shift);
    const unsigned entry = digit * gridDim.x + blockIdx.x;
    const unsigned start = entry > 0 ? places[entry - 1] : 0;
    out[start + (i - digit_start[digit])] = keys[i];
  }
}

extern "C" void radix_sort(const unsigned* in, unsigned* out, int n) {
  static Scratch<unsigned> key_scratch, count_scratch;
  const int tiles = kata::ceil_div(n, TILE);
  unsigned* temporary = key_scratch.get(n);
  unsigned* counts = count_scratch.get(size_t(tiles) * DIGITS);

  const unsigned* source = in;
  for (int pass = 0; pass < 8; ++pass) {
    unsigned* target = pass % 2 == 0 ? temporary : out;  // the eighth pass writes out
    count_digits<<<tiles, THREADS>>>(source, counts, n, 4 * pass);
    inclusive_scan(counts, counts, tiles * DIGITS);
    scatter<<<tiles, THREADS>>>(source, target, counts, n, 4 * pass);
    source = target;
  }
}
