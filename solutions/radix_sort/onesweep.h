#pragma once
// One tile of one pass of onesweep: rank the keys, look back for their places, and move them.
// Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022.

#include "../common/look_back.h"
#include "digit_counts.h"

constexpr int SWEEP_THREADS = 512;
constexpr int AHEAD = 8;                         // tiles per step of the look-back
using SweepTile = RadixTile<SWEEP_THREADS, 16>;  // 8192 keys

// The word of a tile and of this thread's digit: one row of RADIX words per tile.
__device__ inline Word* word_of_digit(const TileStates& states, int tile) {
  return &states.words[size_t(tile) * RADIX + threadIdx.x];
}

// The place in the output of the first key of this tile with this thread's digit. Thread d < RADIX
// calls it for digit d, after it has published the tile's count of that digit.
__device__ inline unsigned place_of_digit(const TileStates& states, int tile, unsigned count) {
  unsigned before = 0;
  bool inclusive = false;
  for (int nearest = tile - 1; !inclusive; nearest -= AHEAD) {
    Word word[AHEAD];  // of several tiles at once: a round trip to the L2 cache takes long
#pragma unroll
    for (int j = 0; j < AHEAD; ++j) {
      word[j] = nearest >= j ? observe(word_of_digit(states, nearest - j)) : 0;
    }
#pragma unroll
    for (int j = 0; j < AHEAD; ++j) {
      if (inclusive) break;
      while (tag_of(word[j]) < states.aggregate_tag()) {
        word[j] = observe(word_of_digit(states, nearest - j));
      }
      before += value_of<unsigned>(word[j]);
      inclusive = tag_of(word[j]) == states.inclusive_tag();
    }
  }
  publish(word_of_digit(states, tile), states.inclusive_tag(), before + count);
  return before;
}

// Moves the keys of the tile that comes next from `in` to their places in `out`. counts[d] is how
// often digit d occurs in all n keys. The grid has one block of SWEEP_THREADS per tile.
template <class Match = SameDigit>
__device__ void sweep_tile(const unsigned* in, unsigned* out, const unsigned* counts, int n,
                           int shift, const TileStates& states, const Match& same_digit = Match()) {
  __shared__ SweepTile::Shared shared;
  __shared__ unsigned offset[RADIX];  // from a key's place in the tile to its place in out
  const int tid = threadIdx.x;
  const int number = take_tile(states);
  const int first = number * SweepTile::SIZE;
  const int count = n - first;
  SweepTile tile;
  tile.load(in + first, count);
  unsigned digit_count, digit_start;
  tile.rank(shift, shared, digit_count, digit_start, same_digit);

  unsigned place = 0;
  if (number > 0) {
    if (tid < RADIX) {
      publish(word_of_digit(states, number), states.aggregate_tag(), digit_count);
      place = place_of_digit(states, number, digit_count);
    }
  } else {  // the first tile starts where the digit starts in all keys
    unsigned total;
    place = block_exclusive_scan<SWEEP_THREADS>(tid < RADIX ? counts[tid] : 0u, total);
    if (tid < RADIX) publish(&states.words[tid], states.inclusive_tag(), place + digit_count);
  }
  if (tid < RADIX) offset[tid] = place - digit_start;
  tile.sort(shared);

  for (int i = tid; i < SweepTile::SIZE && i < count; i += SWEEP_THREADS) {
    const unsigned key = shared.keys[i];
    out[offset[digit_of(key, shift)] + i] = key;
  }
}
