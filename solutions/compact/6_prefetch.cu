// Prefetch: each block copies its next tiles to shared memory while it waits for earlier counts.
//
// The idea of scan's rung 10: a block stays on its SM, works on every 264th tile, and always has
// the copies of two further tiles under way. The kept elements are put in order in the buffer of
// the current tile, which is free as soon as its elements are in registers.
//
// Prediction: reads continue during look-back and stores. 403 MB at 2^26 need 97 us at the speed
// of a copy; with start and end 110 us. Missed: slower than rung 5.
// Measured: 241.6 us at 67108864, 40 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/look_back.h"
#include "../common/tile_copy.h"
#include "tile_select.h"

constexpr int THREADS = 512;
constexpr int STAGES = 3;  // the current tile and the copies of two more
constexpr int BLOCKS_PER_SM = 2;
using Tile = TileSelect<THREADS>;  // 8192 elements, 32 KiB
constexpr int SHARED_BYTES = STAGES * Tile::SIZE * sizeof(float);

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    compact_kernel(const float* x, float* y, int* count, int n, int tiles, TileStates states) {
  extern __shared__ float4 stages[];  // [STAGES][Tile::SIZE]
  __shared__ unsigned start;
  const int tid = threadIdx.x;
  const auto stage = [&](int k) {
    return reinterpret_cast<float*>(stages) + k % STAGES * Tile::SIZE;
  };
  const auto start_copy = [&](int k) {  // of this block's k-th tile, if there is one
    const int number = blockIdx.x + k * gridDim.x;
    const int first = number < tiles ? number * Tile::SIZE : 0;
    copy_tile<Tile::ROUNDS>(stage(k), x + first, number < tiles ? n - first : 0);
  };

  for (int k = 0; k < STAGES - 1; ++k) start_copy(k);
  for (int k = 0, number = blockIdx.x; number < tiles; ++k, number += gridDim.x) {
    start_copy(k + STAGES - 1);
    __pipeline_wait_prior(STAGES - 1);
    float* kept = stage(k);
    Tile tile;
    tile.load(kept, n - number * Tile::SIZE);
    const unsigned total = tile.rank();  // with barriers: all elements are in registers
    if (tid == 0) publish(&states.words[number], states.aggregate_tag(), total);
    tile.scatter(kept);
    if (tid < 32) {
      const unsigned before = look_back<unsigned, 8>(states, number);
      if (tid == 0) {
        publish(&states.words[number], states.inclusive_tag(), before + total);
        start = before;
        if (number == tiles - 1) *count = before + total;
      }
    }
    __syncthreads();
    float* out = y + start;
    for (unsigned i = tid; i < total; i += THREADS) out[i] = kept[i];
    __syncthreads();  // the next copy goes to this buffer
  }
}

extern "C" void compact(const float* x, float* y, int* count, int n) {
  // A block waits for tiles of other blocks, so all of them must be resident.
  static const int most = resident_blocks(compact_kernel, BLOCKS_PER_SM, SHARED_BYTES);
  const int tiles = kata::ceil_div(n, Tile::SIZE);
  const int blocks = tiles < most ? tiles : most;
  compact_kernel<<<blocks, THREADS, SHARED_BYTES>>>(x, y, count, n, tiles, new_tile_states(tiles));
}
