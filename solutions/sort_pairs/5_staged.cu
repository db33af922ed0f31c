// Staging: a tile is sorted in shared memory first, so that pairs with one digit leave as a run.
//
// In the sorted tile the pairs of a digit are neighbours, 32 of them on average. Neighbouring
// threads store them, so that a warp's store touches about 6 sectors, not 30. Keys and values go
// through the same 32 KiB one after the other: a pair's place in the tile and its target stay in
// registers between the two (move_pairs.h).
//
// Prediction: the bytes take 1.25 ms at 2^26, as before, and the sectors of the stores no longer
// more than that. Ranking limits the keys-only sort with this structure: radix_sort 4 took 2150 us
// on an H100. The values add 8n words, 0.5 ms: 2.6 ms.
// Measured: 2372.6 us at 67108864, 11 % of the limit (H200, 2026-11-28)
#include <kata/kata.h>

#include "../common/count_scan.h"
#include "move_pairs.h"
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
  tile.sort(shared);
  move_pairs<THREADS, ITEMS>(shared.keys, tile.place, offset, shift, n - first,
                             from.values + first, to);
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
