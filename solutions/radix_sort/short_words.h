#pragma once
// Look-back with words of 32 bits, half as long as those of common/look_back.h.
//
// A word has no room for the number of the call, so words of earlier passes must be cleared. There
// are two arrays of words: while a pass uses one, each block clears its tile's words in the other,
// for the next pass. The number of passes is even, so every call starts with the first array, which
// the last pass of the call before has cleared.

#include "../common/look_back.h"
#include "radix_tile.h"

// The words are in rows of RADIX, one row per tile:
//   0                 nothing yet
//   1 + count         how often the digit occurs in this tile (aggregate)
//   INCLUSIVE | sum   and the keys of the digit that belong before; n is an int: 31 bits are enough
struct ShortWords {
  static constexpr unsigned INCLUSIVE = 1u << 31;

  unsigned* words;
  unsigned* words_of_next_pass;
  unsigned* next_tile;

  // The word of a tile and of this thread's digit, for threads below RADIX.
  __device__ volatile unsigned& word(int tile) const {
    return words[size_t(tile) * RADIX + threadIdx.x];
  }
  __device__ void clear_for_next_pass(int tile) const {
    words_of_next_pass[size_t(tile) * RADIX + threadIdx.x] = 0;
  }
};

inline ShortWords short_words_of_pass(int pass, int tiles) {
  static Scratch<unsigned> even, odd, counter;
  unsigned* const even_words = even.get_zeroed(size_t(tiles) * RADIX);
  unsigned* const odd_words = odd.get_zeroed(size_t(tiles) * RADIX);
  unsigned* const next_tile = counter.get_zeroed(1);
  if (pass % 2 == 0) return {even_words, odd_words, next_tile};
  return {odd_words, even_words, next_tile};
}

// The place in the output of the first key of this tile with this thread's digit. Thread d < RADIX
// calls it for digit d, after it has published the tile's count of that digit.
__device__ inline unsigned place_of_digit(const ShortWords& states, int tile, unsigned count) {
  constexpr int AHEAD = 4;  // tiles per step
  unsigned before = 0;
  bool inclusive = false;
  for (int nearest = tile - 1; !inclusive; nearest -= AHEAD) {
    unsigned word[AHEAD];
#pragma unroll
    for (int j = 0; j < AHEAD; ++j) word[j] = nearest >= j ? states.word(nearest - j) : 0;
#pragma unroll
    for (int j = 0; j < AHEAD; ++j) {
      if (inclusive) break;
      while (word[j] == 0) word[j] = states.word(nearest - j);
      inclusive = word[j] & ShortWords::INCLUSIVE;
      before += inclusive ? word[j] & ~ShortWords::INCLUSIVE : word[j] - 1;
    }
  }
  states.word(tile) = ShortWords::INCLUSIVE | (before + count);
  return before;
}
