// Eight bits per pass: 4 passes, each warp with 256 counters of its own.
//
// Half as many passes move half as many bytes. A tile has 8192 pairs, so that the table of 256
// counts per tile stays at 3 % of the keys. Within the tile a warp finds equal digits by eight
// ballots and counts them (../radix_sort/radix_tile.h); the counts of the warps are added up per
// digit. Every pair then goes straight to its place.
//
// Prediction: 5n words per pass, 312 us at 2^26, times 4: 1.25 ms. But the 32 pairs of a warp have
// about 30 different digits, so that each store touches 30 sectors, 2^27 sectors per pass for keys
// and values, 0.8 ms at 170 G sectors/s of L2. With ranking 4 ms in all. Missed: rung 5 shows that
// the scattered stores take 8 ms; sectors that are written in parts cost more than an access to L2.
// Measured: 10554.6 us at 67108864, 2.4 % of the limit (H200, 2026-11-28)
#include <kata/kata.h>

#include "../common/count_scan.h"
#include "passes.h"
#include "tile_counts.h"

__global__ void __launch_bounds__(THREADS, 2)
    scatter(PairsIn from, PairsOut to, const unsigned* places, int n, int shift) {
  __shared__ typename Tile::Shared shared;
  __shared__ unsigned offset[RADIX];  // from a pair's place in the tile to its place in the output
  const int tid = threadIdx.x;
  const int first = blockIdx.x * Tile::SIZE;
  Tile tile;
  tile.load(from.keys + first, n - first);
  unsigned digit_count, digit_start;
  tile.rank(shift, shared, digit_count, digit_start);
  if (tid < RADIX) offset[tid] = offset_of_digit(places, digit_start);
  __syncthreads();

  const int mine = tid / 32 * (32 * ITEMS) + tid % 32;  // as Tile::load has them
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = mine + 32 * k;
    if (i >= n - first) break;
    const unsigned place = offset[digit_of(tile.key[k], shift)] + tile.place[k];
    to.keys[place] = tile.key[k];
    to.values[place] = from.values[first + i];
  }
}

extern "C" void sort_pairs(const unsigned* keys_in, const int* values_in, unsigned* keys_out,
                           int* values_out, int n) {
  static Scratch<unsigned> count_scratch;
  const int tiles = kata::ceil_div(n, Tile::SIZE);
  unsigned* counts = count_scratch.get(size_t(tiles) * RADIX);
  four_passes({keys_in, values_in}, {keys_out, values_out}, n,
              [&](int pass, PairsIn from, PairsOut to) {
                count_digits<<<tiles, THREADS>>>(from.keys, counts, n, 8 * pass);
                inclusive_scan(counts, counts, tiles * RADIX);
                scatter<<<tiles, THREADS>>>(from, to, counts, n, 8 * pass);
              });
}
