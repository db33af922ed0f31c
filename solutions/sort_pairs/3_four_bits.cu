// Four bits per pass: 8 passes, and a warp ranks its pairs by four ballots instead of a scan.
//
// The rung to reach in 30 minutes. Three kernels per pass: count the 16 digits of each tile, scan
// the table of counts digit by digit, scatter. In the scatter each warp works on 256 consecutive
// pairs, 32 at a time. Four ballots show each lane which lanes have its digit. A pair's rank is the
// warp's count of this digit so far plus the lower ones of these lanes: no atomic decides an order.
//
// Prediction: 5n words per pass, 312 us at 2^26, times 8: 2.5 ms. The stores of a warp go to up to
// 16 places, in runs of 2 pairs: twice the sectors of a copy or more. 6 ms. Missed by a factor of
// 2.3, as in rung 4; rung 5 shows that it is the scattered stores.
// Measured: 13539.6 us at 67108864, 1.9 % of the limit (H200, 2026-11-28)
#include <kata/kata.h>

#include "../common/count_scan.h"

constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;
constexpr int ITEMS = 8;
constexpr int TILE = THREADS * ITEMS;
constexpr int DIGITS = 16;

__device__ unsigned digit_of(unsigned key, int shift) {
  return key >> shift & (DIGITS - 1);
}

// The lanes that hold the same digit as this one. The whole warp calls it.
__device__ unsigned same_digit(unsigned digit) {
  unsigned lanes = 0xffffffffu;
  for (int bit = 0; bit < 4; ++bit) {
    const bool set = digit >> bit & 1;
    const unsigned vote = __ballot_sync(0xffffffffu, set);
    lanes &= set ? vote : ~vote;
  }
  return lanes;
}

// counts[digit][tile]: digit-major, so that one scan of the table gives all places.
__global__ void count_digits(const unsigned* keys, unsigned* counts, int n, int shift) {
  __shared__ unsigned tile_counts[DIGITS];
  const int first = blockIdx.x * TILE;
  if (threadIdx.x < DIGITS) tile_counts[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < TILE && i < n - first; i += THREADS) {
    atomicAdd(&tile_counts[digit_of(keys[first + i], shift)], 1);
  }
  __syncthreads();
  if (threadIdx.x < DIGITS) {
    counts[threadIdx.x * gridDim.x + blockIdx.x] = tile_counts[threadIdx.x];
  }
}

// places[digit][tile] counts the keys up to and including this entry of the table.
__global__ void scatter(const unsigned* keys_in, const int* values_in, unsigned* keys_out,
                        int* values_out, const unsigned* places, int n, int shift) {
  __shared__ unsigned next[WARPS][DIGITS];  // counts of the warp's digits; later their places
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const int first = blockIdx.x * TILE + warp * (32 * ITEMS) + lane;
  if (lane < DIGITS) next[warp][lane] = 0;
  __syncwarp();
  for (int i = first; i < first + 32 * ITEMS && i < n; i += 32) {
    atomicAdd(&next[warp][digit_of(keys_in[i], shift)], 1);  // a count needs no order
  }
  __syncthreads();
  if (tid < DIGITS) {
    const unsigned entry = tid * gridDim.x + blockIdx.x;
    unsigned place = entry > 0 ? places[entry - 1] : 0;
    for (int w = 0; w < WARPS; ++w) {
      const unsigned count = next[w][tid];
      next[w][tid] = place;
      place += count;
    }
  }
  __syncthreads();

  for (int k = 0; k < ITEMS; ++k) {  // all lanes vote: pairs past the end rank behind the others
    const int i = first + 32 * k;
    const unsigned key = i < n ? keys_in[i] : 0xffffffffu;
    const unsigned digit = digit_of(key, shift);
    const unsigned lanes = same_digit(digit);
    const unsigned place = next[warp][digit] + __popc(lanes & ((1u << lane) - 1));
    if (i < n) {
      keys_out[place] = key;
      values_out[place] = values_in[i];
    }
    __syncwarp();  // all have read before one writes
    if (lanes >> lane == 1) next[warp][digit] = place + 1;  // the highest of them
    __syncwarp();
  }
}

extern "C" void sort_pairs(const unsigned* keys_in, const int* values_in, unsigned* keys_out,
                           int* values_out, int n) {
  static Scratch<unsigned> key_scratch, count_scratch;
  static Scratch<int> value_scratch;
  const int tiles = kata::ceil_div(n, TILE);
  unsigned* keys = key_scratch.get(n);
  int* values = value_scratch.get(n);
  unsigned* counts = count_scratch.get(size_t(tiles) * DIGITS);

  for (int pass = 0; pass < 8; ++pass) {
    const bool to_scratch = pass % 2 == 0;  // so the eighth pass writes the outputs
    const unsigned* from_keys = pass == 0 ? keys_in : to_scratch ? keys_out : keys;
    const int* from_values = pass == 0 ? values_in : to_scratch ? values_out : values;
    count_digits<<<tiles, THREADS>>>(from_keys, counts, n, 4 * pass);
    inclusive_scan(counts, counts, tiles * DIGITS);
    scatter<<<tiles, THREADS>>>(from_keys, from_values, to_scratch ? keys : keys_out,
                                to_scratch ? values : values_out, counts, n, 4 * pass);
  }
}
