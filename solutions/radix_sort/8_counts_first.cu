// Counts first: a tile publishes its counts before it ranks its keys, so others wait less.
//
// All later tiles look back at a tile's counts, which rung 7 knows only when all keys are ranked.
// Here the warps count their digits with atomics, in any order, and publish. They rank while others
// look back. Each warp knows its first place of each digit by then, so a key's rank is its place in
// the tile: it is stored at once, and no register holds it until then. Counts and keys need memory
// of their own, 49 KiB per block. CUB counts early as well (BlockRadixRankMatchEarlyCounts).
//
// Prediction: one more atomic per key, less waiting: 1550 us at 2^26. A trial on an H100 took 1450
// (rung 7: 1672, without any waiting, so wrong, 1481). With the keys stored after ranking, 1506.
// Measured: 1385.6 us at 67108864, 13 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "digit_masks.h"
#include "onesweep.h"

constexpr int THREADS = SWEEP_THREADS;
constexpr int ITEMS = 16;

struct Shared {
  SweepTile::Counts counts;
  unsigned keys[SweepTile::SIZE];
  unsigned offset[RADIX];  // from a key's place in the tile to its place in out
};

__global__ void __launch_bounds__(THREADS, 2)
    onesweep(const unsigned* in, unsigned* out, const unsigned* counts, int n, int shift,
             TileStates states) {
  extern __shared__ unsigned memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const DigitMasks same_digit;
  const int tid = threadIdx.x;
  const int lane = tid % 32;
  unsigned* mine = shared.counts[tid / 32];
  const int number = take_tile(states);
  const int first = number * SweepTile::SIZE;
  const int count = n - first;
  SweepTile tile;
  tile.load(in + first, count);

  for (int d = lane; d < RADIX; d += 32) mine[d] = 0;
  __syncwarp();
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) atomicAdd(&mine[digit_of(tile.key[k], shift)], 1u);
  __syncthreads();

  unsigned digit_count = 0;
  if (tid < RADIX) {
    digit_count = SweepTile::count_of_digit(shared.counts);
    if (number > 0) publish(word_of_digit(states, number), states.aggregate_tag(), digit_count);
  }
  unsigned total;
  const unsigned digit_start = block_exclusive_scan<THREADS>(digit_count, total);
  if (tid < RADIX) SweepTile::counts_to_places(shared.counts, digit_start);
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
    shared.keys[next + up_to - 1] = tile.key[k];
  }

  unsigned place = 0;
  if (number > 0) {
    if (tid < RADIX) place = place_of_digit(states, number, digit_count);
  } else {  // the first tile starts where the digit starts in all keys
    place = block_exclusive_scan<THREADS>(tid < RADIX ? counts[tid] : 0u, total);
    if (tid < RADIX) publish(word_of_digit(states, 0), states.inclusive_tag(), place + digit_count);
  }
  if (tid < RADIX) shared.offset[tid] = place - digit_start;
  __syncthreads();

  for (int i = tid; i < SweepTile::SIZE && i < count; i += THREADS) {
    const unsigned key = shared.keys[i];
    out[shared.offset[digit_of(key, shift)] + i] = key;
  }
}

extern "C" void radix_sort(const unsigned* in, unsigned* out, int n) {
  static Scratch<unsigned> key_scratch, count_scratch;
  const int tiles = kata::ceil_div(n, SweepTile::SIZE);
  unsigned* temporary = key_scratch.get(n);
  unsigned* counts = count_scratch.get(PASSES * RADIX);
  count_all_digits_of(in, counts, n);
  cudaFuncSetAttribute(onesweep, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));

  const unsigned* source = in;
  for (int pass = 0; pass < PASSES; ++pass) {
    unsigned* target = pass % 2 == 0 ? temporary : out;  // the fourth pass writes out
    onesweep<<<tiles, THREADS, sizeof(Shared)>>>(source, target, counts + pass * RADIX, n, 8 * pass,
                                                 new_tile_states(size_t(tiles) * RADIX));
    source = target;
  }
}
