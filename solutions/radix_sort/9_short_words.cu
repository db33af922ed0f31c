// Short words: the look-back reads words of 32 bits, and fewer of them.
//
// A block reads a row of 256 words for each tile that it looks back at. In a trial of rung 7, a
// pass read 27.5 million sectors from L2, and only 8.4 million of them were keys. 31 bits are
// enough for a count, and one bit tells aggregates from inclusive sums. No bits are left for the
// number of the call, so each block clears its row for the next pass (short_words.h). A thread has
// 24 keys, not 16: fewer rows. Below 2^21 keys it has 16, as larger tiles do not fill the GPU.
//
// Prediction: 1290 us at 2^26. A trial on an H100 took 1337 with a constant shift, which gains 20,
// and with all stores of a thread in one batch, which loses 85 (rung 8: 1382, CUB: 1642).
// Measured: 1174.7 us at 67108864, 15 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "short_sweep.h"

template <int ITEMS>
__global__ void __launch_bounds__(THREADS, 2)
    onesweep(const unsigned* in, unsigned* out, const unsigned* counts, int n, int shift,
             ShortWords states) {
  short_sweep<ITEMS>(in, out, counts, n, shift, states);
}

template <int ITEMS>
void sort(const unsigned* in, unsigned* out, int n) {
  static Scratch<unsigned> key_scratch, count_scratch;
  const int tiles = kata::ceil_div(n, THREADS * ITEMS);
  constexpr int bytes = sizeof(SweepShared<ITEMS>);
  unsigned* temporary = key_scratch.get(n);
  unsigned* counts = count_scratch.get(PASSES * RADIX);
  count_all_digits_of(in, counts, n);
  cudaFuncSetAttribute(onesweep<ITEMS>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);

  const unsigned* source = in;
  for (int pass = 0; pass < PASSES; ++pass) {
    unsigned* target = pass % 2 == 0 ? temporary : out;  // the fourth pass writes out
    onesweep<ITEMS><<<tiles, THREADS, bytes>>>(source, target, counts + pass * RADIX, n, 8 * pass,
                                               short_words_of_pass(pass, tiles));
    source = target;
  }
}

extern "C" void radix_sort(const unsigned* in, unsigned* out, int n) {
  if (n < 1 << 21) {
    sort<16>(in, out, n);
  } else {
    sort<24>(in, out, n);
  }
}
