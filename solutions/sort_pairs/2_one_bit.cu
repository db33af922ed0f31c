// Least significant bit first: 32 stable splits by one bit each sort the pairs.
//
// A split moves the pairs whose bit is 0 to the front and the others behind them, each group in its
// old order. A pair's place depends on its key alone; the value goes where the key goes. Because
// every split is stable, so is the whole sort: pairs with equal keys never pass each other.
//
// Prediction: a split reads the keys twice and the values once and writes both: 5n words, 1.34 GB,
// 312 us at 4298 GB/s and 2^26, 10 ms in all. radix_sort's second rung, which has 3n words, took
// 13.4 ms on an H100, as too few loads are in flight: 5/3 of that, 22 ms.
// Measured: 17599.6 us at 67108864, 1.4 % of the limit (H200, 2026-11-28)
#include <kata/kata.h>

#include "../common/count_scan.h"

constexpr int THREADS = 256;
constexpr int ITEMS = 8;
constexpr int TILE = THREADS * ITEMS;

// The number of keys in each tile whose bit is 0.
__global__ void count_zeros(const unsigned* keys, unsigned* zeros, int n, int bit) {
  const int first = blockIdx.x * TILE;
  unsigned count = 0;
  for (int i = threadIdx.x; i < TILE && i < n - first; i += THREADS) {
    count += (keys[first + i] >> bit & 1) == 0;
  }
  unsigned total;
  block_exclusive_scan<THREADS>(count, total);
  if (threadIdx.x == 0) zeros[blockIdx.x] = total;
}

// zeros[t] counts the zeros up to and including tile t.
__global__ void split(const unsigned* keys_in, const int* values_in, unsigned* keys_out,
                      int* values_out, const unsigned* zeros, int n, int bit) {
  const int first = blockIdx.x * TILE;
  const unsigned all_zeros = zeros[gridDim.x - 1];
  unsigned zeros_before = blockIdx.x > 0 ? zeros[blockIdx.x - 1] : 0;
  for (int start = 0; start < TILE; start += THREADS) {  // the same trip count in all threads
    const int i = start + threadIdx.x;
    const bool in_bounds = i < n - first;
    const unsigned key = in_bounds ? keys_in[first + i] : 0xffffffffu;
    const bool is_zero = (key >> bit & 1) == 0;
    unsigned total;
    const unsigned zero_place =
        zeros_before + block_exclusive_scan<THREADS>(unsigned(is_zero), total);
    const unsigned ones_before = first + i - zero_place;
    if (in_bounds) {
      const unsigned place = is_zero ? zero_place : all_zeros + ones_before;
      keys_out[place] = key;
      values_out[place] = values_in[first + i];
    }
    zeros_before += total;
  }
}

extern "C" void sort_pairs(const unsigned* keys_in, const int* values_in, unsigned* keys_out,
                           int* values_out, int n) {
  static Scratch<unsigned> key_scratch, count_scratch;
  static Scratch<int> value_scratch;
  const int tiles = kata::ceil_div(n, TILE);
  unsigned* keys = key_scratch.get(n);
  int* values = value_scratch.get(n);
  unsigned* zeros = count_scratch.get(tiles);

  for (int bit = 0; bit < 32; ++bit) {
    const bool to_scratch = bit % 2 == 0;  // so the 32nd split writes the outputs
    const unsigned* from_keys = bit == 0 ? keys_in : to_scratch ? keys_out : keys;
    const int* from_values = bit == 0 ? values_in : to_scratch ? values_out : values;
    count_zeros<<<tiles, THREADS>>>(from_keys, zeros, n, bit);
    inclusive_scan(zeros, zeros, tiles);
    split<<<tiles, THREADS>>>(from_keys, from_values, to_scratch ? keys : keys_out,
                              to_scratch ? values : values_out, zeros, n, bit);
  }
}
