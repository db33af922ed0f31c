// One pass: each tile waits for the inclusive sum of the tile before it, then passes on its own.
//
// x is read once and y written once, the least there is. A tile loads and scans its elements while
// it waits, so only the hand-over is serial: read one word, add, write one word. Blocks take their
// tile number from a counter (common/look_back.h): blockIdx promises no order of start.
//
// Prediction: 2n words are 130 us at 2^26, but the chain has 16384 links. A link is an L2 write
// and an L2 read that polls: about 700 ns, so 11 ms. Far slower than three kernels: the sum of one
// tile must not wait for all the tiles before it. Missed: a link takes 0.28 us.
// Measured: 4593.0 us at 67108864, 3.8 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "../common/look_back.h"
#include "tile_scan.h"

constexpr int THREADS = 256;
using Tile = TileScan<THREADS, 4>;  // 4096 elements

// The inclusive sum of the tile before. One thread calls it.
__device__ float wait_for_predecessor(const TileStates& states, int tile) {
  if (tile == 0) return 0.0f;
  Word word;
  do {
    word = observe(&states.words[tile - 1]);
  } while (tag_of(word) != states.inclusive_tag());
  return value_of<float>(word);
}

__global__ void scan_kernel(const float* x, float* y, int n, TileStates states) {
  __shared__ float carry;
  const int number = take_tile(states);
  const int first = number * Tile::SIZE;
  Tile tile;
  tile.load(x + first, n - first);
  const float total = tile.scan();
  if (threadIdx.x == 0) {
    carry = wait_for_predecessor(states, number);
    publish(&states.words[number], states.inclusive_tag(), carry + total);
  }
  __syncthreads();
  tile.store(y + first, n - first, carry);
}

extern "C" void scan(const float* x, float* y, int n) {
  const int tiles = kata::ceil_div(n, Tile::SIZE);
  scan_kernel<<<tiles, THREADS>>>(x, y, n, new_tile_states(tiles));
}
