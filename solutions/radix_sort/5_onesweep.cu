// Onesweep: each pass reads its keys once; look-back gives every tile its places.
//
// How often each digit occurs in all keys does not change from pass to pass, so one kernel counts
// the digits of all four passes in advance. Within a pass, thread d of a tile follows digit d back
// through the earlier tiles, as in a single-pass scan (common/look_back.h). Adinets and Merrill,
// "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022.
//
// Prediction: 9n words, n for the counts and 2n per pass: 2.4 GB at 2^26, 583 us by bytes. Ranking
// remains the limit: 120 us of instructions per pass, with the stores about 250 us: 1.1 ms.
// Measured: 1987.0 us at 67108864, 8.9 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "onesweep.h"

__global__ void __launch_bounds__(SWEEP_THREADS, 2)
    onesweep(const unsigned* in, unsigned* out, const unsigned* counts, int n, int shift,
             TileStates states) {
  sweep_tile(in, out, counts, n, shift, states);
}

extern "C" void radix_sort(const unsigned* in, unsigned* out, int n) {
  static Scratch<unsigned> key_scratch, count_scratch;
  const int tiles = kata::ceil_div(n, SweepTile::SIZE);
  unsigned* temporary = key_scratch.get(n);
  unsigned* counts = count_scratch.get(PASSES * RADIX);
  count_all_digits_of(in, counts, n);

  const unsigned* source = in;
  for (int pass = 0; pass < PASSES; ++pass) {
    unsigned* target = pass % 2 == 0 ? temporary : out;  // the fourth pass writes out
    onesweep<<<tiles, SWEEP_THREADS>>>(source, target, counts + pass * RADIX, n, 8 * pass,
                                       new_tile_states(size_t(tiles) * RADIX));
    source = target;
  }
}
