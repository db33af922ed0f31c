// Unstable first pass: a key's rank is what an atomic add on one counter per digit returns.
//
// Later passes must keep the order of equal digits, because earlier passes made it. Before the
// first pass there is no such order. Its warps need not compare their digits, and all of them share
// one counter per digit. The histogram has 16 copies of its counters, so that fewer lanes add to
// the same one (digit_counts.h). The other passes are those of rung 9.
//
// Prediction: 1150 us at 2^26, 140 less than rung 9. A trial on an H100 took 1217, where rung 9
// took 1337, and 1192 with the copies (CUB: 1642). With equal keys, where all atomics meet at one
// address, it took 1184 (rung 8: 1270, CUB: 1228).
// Measured: 1135.3 us at 67108864, 16 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "short_sweep.h"

template <int ITEMS>
__global__ void __launch_bounds__(THREADS, 2)
    first_sweep(const unsigned* in, unsigned* out, const unsigned* counts, int n,
                ShortWords states) {
  using Tile = typename SweepShared<ITEMS>::Tile;
  extern __shared__ unsigned memory[];
  auto& shared = *reinterpret_cast<SweepShared<ITEMS>*>(memory);
  unsigned* next = shared.counts[0];  // one counter per digit serves all warps
  const int tid = threadIdx.x;
  const int number = take_tile(states.next_tile);
  const int count = n - number * Tile::SIZE;
  const int first = tid / 32 * (32 * ITEMS) + tid % 32;  // the thread's keys: first + 32 * k
  if (tid < RADIX) states.clear_for_next_pass(number);
  Tile tile;
  tile.load(in + number * Tile::SIZE, count);

  if (tid < RADIX) next[tid] = 0;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    if (first + 32 * k < count) atomicAdd(&next[digit_of(tile.key[k], 0)], 1u);
  }
  __syncthreads();

  unsigned digit_count = 0;
  if (tid < RADIX) {
    digit_count = next[tid];
    if (number > 0) states.word(number) = 1 + digit_count;
  }
  unsigned total;
  const unsigned digit_start = block_exclusive_scan<THREADS>(digit_count, total);
  if (tid < RADIX) next[tid] = digit_start;
  __syncthreads();

#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const unsigned key = tile.key[k];
    if (first + 32 * k < count) shared.keys[atomicAdd(&next[digit_of(key, 0)], 1u)] = key;
  }
  move_keys(shared, digit_count, digit_start, counts, out, n, 0, states, number);
}

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
  count_all_digits_of<16, 640, 3>(in, counts, n);
  cudaFuncSetAttribute(first_sweep<ITEMS>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  cudaFuncSetAttribute(onesweep<ITEMS>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);

  first_sweep<ITEMS>
      <<<tiles, THREADS, bytes>>>(in, temporary, counts, n, short_words_of_pass(0, tiles));
  const unsigned* source = temporary;
  for (int pass = 1; pass < PASSES; ++pass) {
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
