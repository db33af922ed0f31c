// Onesweep: each pass reads its keys once; look-back gives every tile its places.
//
// How often each digit occurs in all keys does not change from pass to pass, so one kernel counts
// the digits of all four passes in advance. Within a pass, thread d of a tile follows digit d back
// through the earlier tiles, as in a single-pass scan (common/look_back.h). Adinets and Merrill,
// "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022.
//
// Prediction: 9n words, n for the counts and 2n per pass: 2.4 GB at 2^26, 583 us by bytes. Ranking
// remains the limit: 120 us of instructions per pass, with the stores about 250 us: 1.1 ms.
// Measured: not yet.
#include <kata/kata.h>

#include "../common/digit_counts.h"
#include "../common/look_back.h"

constexpr int THREADS = 512;
using Tile = RadixTile<THREADS, 16>;  // 8192 keys
constexpr int AHEAD = 8;              // tiles per step of the look-back

// The place in the output of the first key of this tile with this thread's digit. Thread d <
// RADIX calls it for digit d, and with it publishes the tile's count of that digit.
__device__ unsigned place_of_digit(const TileStates& states, int tile, unsigned count) {
  Word* words = states.words + threadIdx.x;  // one row of RADIX words per tile
  publish(&words[size_t(tile) * RADIX], states.aggregate_tag(), count);
  unsigned before = 0;
  bool inclusive = false;
  for (int nearest = tile - 1; !inclusive; nearest -= AHEAD) {
    Word word[AHEAD];  // of several tiles at once: a round trip to the L2 cache takes long
#pragma unroll
    for (int j = 0; j < AHEAD; ++j) {
      word[j] = nearest >= j ? observe(&words[size_t(nearest - j) * RADIX]) : 0;
    }
#pragma unroll
    for (int j = 0; j < AHEAD; ++j) {
      if (inclusive) break;
      while (tag_of(word[j]) < states.aggregate_tag()) {
        word[j] = observe(&words[size_t(nearest - j) * RADIX]);
      }
      before += value_of<unsigned>(word[j]);
      inclusive = tag_of(word[j]) == states.inclusive_tag();
    }
  }
  publish(&words[size_t(tile) * RADIX], states.inclusive_tag(), before + count);
  return before;
}

__global__ void __launch_bounds__(THREADS, 2)
    onesweep(const unsigned* in, unsigned* out, const unsigned* counts, int n, int shift,
             TileStates states) {
  __shared__ typename Tile::Shared shared;
  __shared__ unsigned offset[RADIX];  // from a key's place in the tile to its place in out
  const int tid = threadIdx.x;
  const int number = take_tile(states);
  const int first = number * Tile::SIZE;
  const int count = n - first;
  Tile tile;
  tile.load(in + first, count);
  unsigned digit_count, digit_start;
  tile.rank(shift, shared, digit_count, digit_start);

  unsigned place = 0;
  if (number > 0) {
    if (tid < RADIX) place = place_of_digit(states, number, digit_count);
  } else {  // the first tile starts where the digit starts in all keys
    unsigned total;
    place = block_exclusive_scan<THREADS>(tid < RADIX ? counts[tid] : 0u, total);
    if (tid < RADIX) publish(&states.words[tid], states.inclusive_tag(), place + digit_count);
  }
  if (tid < RADIX) offset[tid] = place - digit_start;
  tile.sort(shared);

  for (int i = tid; i < Tile::SIZE && i < count; i += THREADS) {
    const unsigned key = shared.keys[i];
    out[offset[digit_of(key, shift)] + i] = key;
  }
}

extern "C" void radix_sort(const unsigned* in, unsigned* out, int n) {
  static Scratch<unsigned> key_scratch, count_scratch;
  const int tiles = (n - 1) / Tile::SIZE + 1;
  unsigned* temporary = key_scratch.get(n);
  unsigned* counts = count_scratch.get(PASSES * RADIX);
  count_all_digits_of(in, counts, n);

  const unsigned* source = in;
  for (int pass = 0; pass < PASSES; ++pass) {
    unsigned* target = pass % 2 == 0 ? temporary : out;  // the fourth pass writes out
    onesweep<<<tiles, THREADS>>>(source, target, counts + pass * RADIX, n, 8 * pass,
                                 new_tile_states(size_t(tiles) * RADIX));
    source = target;
  }
}
