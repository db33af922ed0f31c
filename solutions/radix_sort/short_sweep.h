#pragma once
// Rung 8's pass over one tile, with tiles of any size and the look-back words of short_words.h.

#include "digit_counts.h"
#include "digit_masks.h"
#include "short_words.h"

constexpr int THREADS = 512;

template <int ITEMS>
struct SweepShared {
  using Tile = RadixTile<THREADS, ITEMS>;

  typename Tile::Counts counts;
  unsigned keys[Tile::SIZE];
  unsigned offset[RADIX];  // from a key's place in the tile to its place in out
};

// Looks back and moves the tile's sorted keys to out. counts[d] is how often digit d occurs in all
// keys. Thread d < RADIX has digit d's count in this tile and its start in the sorted tile, and has
// published the count.
template <int ITEMS>
__device__ void move_keys(SweepShared<ITEMS>& shared, unsigned digit_count, unsigned digit_start,
                          const unsigned* counts, unsigned* out, int n, int shift,
                          const ShortWords& states, int number) {
  constexpr int SIZE = SweepShared<ITEMS>::Tile::SIZE;
  const int tid = threadIdx.x;
  const int count = n - number * SIZE;
  unsigned place = 0;
  if (number > 0) {
    if (tid < RADIX) place = place_of_digit(states, number, digit_count);
  } else {  // the first tile starts where the digit starts in all keys
    unsigned total;
    place = block_exclusive_scan<THREADS>(tid < RADIX ? counts[tid] : 0u, total);
    if (tid < RADIX) states.word(0) = ShortWords::INCLUSIVE | (place + digit_count);
  }
  if (tid < RADIX) shared.offset[tid] = place - digit_start;
  __syncthreads();

  for (int i = tid; i < SIZE && i < count; i += THREADS) {
    const unsigned key = shared.keys[i];
    out[shared.offset[digit_of(key, shift)] + i] = key;
  }
}

// The grid has one block of THREADS per tile, with SweepShared<ITEMS> in dynamic shared memory.
template <int ITEMS>
__device__ void short_sweep(const unsigned* in, unsigned* out, const unsigned* counts, int n,
                            int shift, const ShortWords& states) {
  using Tile = typename SweepShared<ITEMS>::Tile;
  extern __shared__ unsigned memory[];
  auto& shared = *reinterpret_cast<SweepShared<ITEMS>*>(memory);
  const DigitMasks same_digit;
  const int tid = threadIdx.x;
  const int lane = tid % 32;
  unsigned* mine = shared.counts[tid / 32];
  const int number = take_tile(states.next_tile);
  const int first = number * Tile::SIZE;
  if (tid < RADIX) states.clear_for_next_pass(number);
  Tile tile;
  tile.load(in + first, n - first);

  for (int d = lane; d < RADIX; d += 32) mine[d] = 0;
  __syncwarp();
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) atomicAdd(&mine[digit_of(tile.key[k], shift)], 1u);
  __syncthreads();

  unsigned digit_count = 0;
  if (tid < RADIX) {
    digit_count = Tile::count_of_digit(shared.counts);
    if (number > 0) states.word(number) = 1 + digit_count;
  }
  unsigned total;
  const unsigned digit_start = block_exclusive_scan<THREADS>(digit_count, total);
  if (tid < RADIX) Tile::counts_to_places(shared.counts, digit_start);
  __syncthreads();

#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    asm volatile("" : "+r"(tile.key[k]));  // otherwise nvcc 13.0 keeps all digits, and spills
    const unsigned digit = digit_of(tile.key[k], shift);
    const unsigned lanes = same_digit(digit);
    const int leader = 31 - __clz(lanes);  // for the leader, up_to counts all of them
    const unsigned up_to = __popc(lanes & 0xffffffffu >> (31 - lane));
    unsigned next = 0;
    if (lane == leader) next = atomicAdd(&mine[digit], up_to);
    next = __shfl_sync(0xffffffffu, next, leader);
    shared.keys[next + up_to - 1] = tile.key[k];
  }
  move_keys(shared, digit_count, digit_start, counts, out, n, shift, states, number);
}
