// Eight bits per pass: warps rank their keys by matching digits, so 4 passes are enough.
//
// 256 digits cannot be sorted bit by bit as cheaply as 16: that would be 8 splits of the tile. Here
// a warp finds equal digits among its 32 keys with warp votes and counts them in its own 256
// counters (radix_tile.h). A larger tile, 8192 keys, keeps the runs at 32 keys, 128 bytes.
//
// Prediction: 3n words per pass and the table of 256 counts per tile (3 % of n, four times): 200 us
// at 2^26, times 4: 0.8 ms by bytes. Ranking is about 60 instructions per key: 2^21 warps' keys
// * 60 / (132 * 4 per clock) = 120 us per pass, partly hidden: 1.2 ms.
// Measured: 2150.7 us at 67108864, 8.2 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "../common/count_scan.h"
#include "radix_tile.h"

constexpr int THREADS = 512;
using Tile = RadixTile<THREADS, 16>;  // 8192 keys

// counts[digit][tile]: digit-major, so that one scan of the table gives all places.
__global__ void count_digits(const unsigned* in, unsigned* counts, int n, int shift) {
  __shared__ unsigned tile_counts[RADIX];
  const int tid = threadIdx.x;
  const int first = blockIdx.x * Tile::SIZE;
  if (tid < RADIX) tile_counts[tid] = 0;
  __syncthreads();
  for (int i = tid; i < Tile::SIZE && i < n - first; i += THREADS) {
    atomicAdd(&tile_counts[digit_of(in[first + i], shift)], 1);
  }
  __syncthreads();
  if (tid < RADIX) counts[tid * gridDim.x + blockIdx.x] = tile_counts[tid];
}

// places[digit][tile] counts the keys up to and including this entry of the table.
__global__ void __launch_bounds__(THREADS, 2)
    scatter(const unsigned* in, unsigned* out, const unsigned* places, int n, int shift) {
  __shared__ typename Tile::Shared shared;
  __shared__ unsigned offset[RADIX];  // from a key's place in the tile to its place in out
  const int tid = threadIdx.x;
  const int first = blockIdx.x * Tile::SIZE;
  const int count = n - first;
  Tile tile;
  tile.load(in + first, count);
  unsigned digit_count, digit_start;
  tile.rank(shift, shared, digit_count, digit_start);
  if (tid < RADIX) {
    const unsigned entry = tid * gridDim.x + blockIdx.x;
    offset[tid] = (entry > 0 ? places[entry - 1] : 0) - digit_start;
  }
  tile.sort(shared);

  for (int i = tid; i < Tile::SIZE && i < count; i += THREADS) {
    const unsigned key = shared.keys[i];
    out[offset[digit_of(key, shift)] + i] = key;
  }
}

extern "C" void radix_sort(const unsigned* in, unsigned* out, int n) {
  static Scratch<unsigned> key_scratch, count_scratch;
  const int tiles = kata::ceil_div(n, Tile::SIZE);
  unsigned* temporary = key_scratch.get(n);
  unsigned* counts = count_scratch.get(size_t(tiles) * RADIX);

  const unsigned* source = in;
  for (int pass = 0; pass < 4; ++pass) {
    unsigned* target = pass % 2 == 0 ? temporary : out;  // the fourth pass writes out
    count_digits<<<tiles, THREADS>>>(source, counts, n, 8 * pass);
    inclusive_scan(counts, counts, tiles * RADIX);
    scatter<<<tiles, THREADS>>>(source, target, counts, n, 8 * pass);
    source = target;
  }
}
