// Onesweep: each pass reads its pairs once; look-back gives every tile its places.
//
// How often each digit occurs does not change from pass to pass, so one kernel counts the digits of
// all four passes in one read of the keys. Within a pass, thread d of a tile follows digit d back
// through the tiles before (../radix_sort/onesweep.h). The values need nothing of their own: they
// follow the keys. Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for
// GPUs", 2022.
//
// Prediction: 4n bytes for the counts and 16n per pass: 68n, 4.56 GB at 2^26, 1.06 ms. Ranking is
// the limit: radix_sort 5 took 1987 us, and the values add 8n words, 0.5 ms, partly hidden: 2.3 ms.
// Measured: 2289.4 us at 67108864, 11 % of the limit (H200, 2026-11-28)
#include <kata/kata.h>

#include "../radix_sort/onesweep.h"
#include "move_pairs.h"

__global__ void __launch_bounds__(SWEEP_THREADS, 2)
    onesweep(PairsIn from, PairsOut to, const unsigned* counts, int n, int shift,
             TileStates states) {
  __shared__ SweepTile::Shared shared;
  __shared__ unsigned offset[RADIX];  // from a pair's place in the tile to its place in the output
  const int tid = threadIdx.x;
  const int number = take_tile(states);
  const int first = number * SweepTile::SIZE;
  SweepTile tile;
  tile.load(from.keys + first, n - first);
  unsigned digit_count, digit_start;
  tile.rank(shift, shared, digit_count, digit_start);

  unsigned place = 0;
  if (number > 0) {
    if (tid < RADIX) {
      publish(word_of_digit(states, number), states.aggregate_tag(), digit_count);
      place = place_of_digit(states, number, digit_count);
    }
  } else {  // the first tile starts where the digit starts in all keys
    unsigned total;
    place = block_exclusive_scan<SWEEP_THREADS>(tid < RADIX ? counts[tid] : 0u, total);
    if (tid < RADIX) publish(word_of_digit(states, 0), states.inclusive_tag(), place + digit_count);
  }
  if (tid < RADIX) offset[tid] = place - digit_start;
  tile.sort(shared);
  move_pairs<SWEEP_THREADS>(shared.keys, tile.place, offset, shift, n - first,
                            from.values + first, to);
}

extern "C" void sort_pairs(const unsigned* keys_in, const int* values_in, unsigned* keys_out,
                           int* values_out, int n) {
  static Scratch<unsigned> count_scratch;
  const int tiles = kata::ceil_div(n, SweepTile::SIZE);
  unsigned* counts = count_scratch.get(PASSES * RADIX);
  count_all_digits_of(keys_in, counts, n);
  four_passes({keys_in, values_in}, {keys_out, values_out}, n,
              [&](int pass, PairsIn from, PairsOut to) {
                onesweep<<<tiles, SWEEP_THREADS>>>(from, to, counts + pass * RADIX, n, 8 * pass,
                                                   new_tile_states(size_t(tiles) * RADIX));
              });
}
