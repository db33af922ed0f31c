#pragma once
// Decoupled look-back: how the tiles of a single pass learn the sum of all earlier tiles.
// Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016.
//
// Each tile has one 64-bit word: a tag in the upper half and a value in the lower half. A tile
// first publishes its own sum (an aggregate), later the sum up to and including itself (inclusive).
// - One aligned 64-bit store is never torn, so tag and value arrive together without a fence.
// - The tag holds the number of the call (its epoch). Words of earlier calls have smaller tags, so
//   nothing has to be cleared between calls.
// - Blocks take their tile number from a counter when they start. All earlier tiles then belong to
//   blocks that already run, and waiting for them cannot deadlock. The counter wraps to 0.

#include "scratch.h"

using Word = unsigned long long;

// Which tile comes next, and one word per tile (or several: radix_sort has one per digit).
struct TileStates {
  Word* words;
  unsigned* next_tile;
  unsigned epoch;

  __device__ unsigned aggregate_tag() const { return 2 * epoch; }
  __device__ unsigned inclusive_tag() const { return 2 * epoch + 1; }
};

inline TileStates new_tile_states(size_t words) {
  static Scratch<Word> scratch;
  static unsigned epoch = 0;
  Word* memory = scratch.get_zeroed(words + 1);
  if (++epoch == 1u << 31) {  // the tags start again, so old words must go
    cudaMemsetAsync(memory, 0, (words + 1) * sizeof(Word));
    epoch = 1;
  }
  return {memory + 1, reinterpret_cast<unsigned*>(memory), epoch};
}

// The number of this block's tile, the same in all threads. The grid has one block per tile.
__device__ inline int take_tile(unsigned* next_tile) {
  __shared__ int tile;
  if (threadIdx.x == 0) tile = atomicInc(next_tile, gridDim.x - 1);
  __syncthreads();
  return tile;
}
__device__ inline int take_tile(const TileStates& states) {
  return take_tile(states.next_tile);
}

__device__ inline unsigned to_bits(float value) {
  return __float_as_uint(value);
}
__device__ inline unsigned to_bits(unsigned value) {
  return value;
}
__device__ inline void from_bits(unsigned bits, float& value) {
  value = __uint_as_float(bits);
}
__device__ inline void from_bits(unsigned bits, unsigned& value) {
  value = bits;
}

__device__ inline unsigned tag_of(Word word) {
  return static_cast<unsigned>(word >> 32);
}

template <class T>
__device__ T value_of(Word word) {
  T value;
  from_bits(static_cast<unsigned>(word), value);
  return value;
}

template <class T>
__device__ void publish(Word* word, unsigned tag, T value) {
  *static_cast<volatile Word*>(word) = Word(tag) << 32 | to_bits(value);
}

__device__ inline Word observe(const Word* word) {
  return *static_cast<const volatile Word*>(word);
}

// The sum of all tiles before `tile`, in all lanes. One whole warp calls it.
//
// The warp looks at 32 * WORDS tiles at once: it reads all their words, then goes through them 32
// at a time, the nearest first, and waits where a tile has not published anything yet. Aggregates
// are added up to the nearest inclusive sum. Without one, the warp moves on to the tiles before.
// WORDS > 1 saves round trips to the L2 cache where many tiles wait at once.
template <class T, int WORDS>
__device__ T look_back(const TileStates& states, int tile) {
  const int lane = threadIdx.x % 32;
  T sum = T(0);
  for (int nearest = tile - 1 - lane;; nearest -= 32 * WORDS) {
    Word words[WORDS];
#pragma unroll
    for (int j = 0; j < WORDS; ++j) {
      const int mine = nearest - 32 * j;
      words[j] = mine >= 0 ? observe(&states.words[mine])
                           : Word(states.inclusive_tag()) << 32;  // nothing before tile 0
    }
#pragma unroll
    for (int j = 0; j < WORDS; ++j) {
      Word word = words[j];
      while (tag_of(word) < states.aggregate_tag()) word = observe(&states.words[nearest - 32 * j]);

      const unsigned inclusive = __ballot_sync(0xffffffffu, tag_of(word) == states.inclusive_tag());
      const int last = inclusive == 0 ? 31 : __ffs(inclusive) - 1;
      T value = lane <= last ? value_of<T>(word) : T(0);
      for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, offset);
      }
      sum += value;
      if (inclusive != 0) return sum;
    }
  }
}
