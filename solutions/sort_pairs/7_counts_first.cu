// Counts first: a tile publishes its counts before it ranks, and finds equal digits by look-up.
//
// All later tiles wait for a tile's counts. Here the warps count with atomics, in any order, and
// publish; they rank while others look back. A warp looks up the lanes with its digit in half as
// many instructions (../radix_sort/digit_masks.h), and the words of the look-back have 32 bits, not
// 64 (short_words.h). These are rungs 7 to 9 of radix_sort, which brought it from 1987 to 1175 us.
//
// Prediction: 1175 us and 0.5 ms for the values, which wait for nothing: 1.7 ms at 2^26, 1.6 times
// the 1.06 ms of the bytes. Missed by 13 %; CUB takes as long. Larger tiles spill registers,
// smaller ones are slower.
// Measured: 1919.5 us at 67108864, 13 % of the limit (H200, 2026-11-28)
#include <kata/kata.h>

#include "../radix_sort/digit_counts.h"
#include "../radix_sort/digit_masks.h"
#include "../radix_sort/short_words.h"
#include "move_pairs.h"

constexpr int THREADS = 512;
constexpr int ITEMS = 16;
using Tile = RadixTile<THREADS, ITEMS>;  // 8192 pairs

struct Shared {
  Tile::Counts counts;
  unsigned sorted[Tile::SIZE];
  unsigned offset[RADIX];  // from a pair's place in the tile to its place in the output
};

__global__ void __launch_bounds__(THREADS, 2)
    onesweep(PairsIn from, PairsOut to, const unsigned* counts, int n, int shift,
             ShortWords states) {
  extern __shared__ unsigned memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const DigitMasks same_digit;
  const int tid = threadIdx.x;
  const int lane = tid % 32;
  unsigned* mine = shared.counts[tid / 32];
  const int number = take_tile(states.next_tile);
  const int first = number * Tile::SIZE;
  if (tid < RADIX) states.clear_for_next_pass(number);
  Tile tile;
  tile.load(from.keys + first, n - first);

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
    const unsigned digit = digit_of(tile.key[k], shift);
    const unsigned lanes = same_digit(digit);
    const int leader = 31 - __clz(lanes);  // for the leader, up_to counts all of them
    const unsigned up_to = __popc(lanes & 0xffffffffu >> (31 - lane));
    unsigned next = 0;
    if (lane == leader) next = atomicAdd(&mine[digit], up_to);
    next = __shfl_sync(0xffffffffu, next, leader);
    tile.place[k] = next + up_to - 1;
    shared.sorted[tile.place[k]] = tile.key[k];
  }

  unsigned place = 0;
  if (number > 0) {
    if (tid < RADIX) place = place_of_digit(states, number, digit_count);
  } else {  // the first tile starts where the digit starts in all keys
    place = block_exclusive_scan<THREADS>(tid < RADIX ? counts[tid] : 0u, total);
    if (tid < RADIX) states.word(0) = ShortWords::INCLUSIVE | (place + digit_count);
  }
  if (tid < RADIX) shared.offset[tid] = place - digit_start;
  __syncthreads();
  move_pairs<THREADS>(shared.sorted, tile.place, shared.offset, shift, n - first,
                      from.values + first, to);
}

extern "C" void sort_pairs(const unsigned* keys_in, const int* values_in, unsigned* keys_out,
                           int* values_out, int n) {
  static Scratch<unsigned> count_scratch;
  const int tiles = kata::ceil_div(n, Tile::SIZE);
  unsigned* counts = count_scratch.get(PASSES * RADIX);
  count_all_digits_of(keys_in, counts, n);
  cudaFuncSetAttribute(onesweep, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
  four_passes({keys_in, values_in}, {keys_out, values_out}, n,
              [&](int pass, PairsIn from, PairsOut to) {
                onesweep<<<tiles, THREADS, sizeof(Shared)>>>(from, to, counts + pass * RADIX, n,
                                                             8 * pass,
                                                             short_words_of_pass(pass, tiles));
              });
}
