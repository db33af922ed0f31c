// Masks looked up: a warp finds its equal digits with half as many instructions.
//
// Rung 5 executes 65 instructions on the ALU pipe for every 32 keys and pass, most of them to
// combine the eight votes for each lane's digit. The pipe starts two per clock: 260 us of 450 per
// pass. Here a lane combines the votes for its own number, and two shuffles look up the result
// (digit_masks.h): about 36 instructions. All four passes run, as in rung 5. Rung 6's plan would
// fit in front of them.
//
// Prediction: 143 us of the ALU pipe per pass, about as much as shared memory (150 us) and DRAM
// (127 us) need: 1570 us at 2^26. A trial on an H100 took 1672 (rung 5: 1986, CUB: 1645).
// Measured: 1688.9 us at 67108864, 10 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "digit_masks.h"
#include "onesweep.h"

__global__ void __launch_bounds__(SWEEP_THREADS, 2)
    onesweep(const unsigned* in, unsigned* out, const unsigned* counts, int n, int shift,
             TileStates states) {
  sweep_tile(in, out, counts, n, shift, states, DigitMasks());
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
