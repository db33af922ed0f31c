// A ring of tiles, and four steps of slack between the count of a tile and its stores.
//
// The idea of scan's rung 11 (common/tile_ring.h): in rung 6 each step waits for the slowest block.
// Here the kept elements of a tile stay in shared memory for four more steps, and a warp of its
// own waits for the counts of other blocks. Each warp's stores start at a multiple of 128 bytes.
// Inputs of one tile per block take rung 6's kernel: nothing waits there, and it starts earlier.
//
// Prediction: 118 us at 2^26. A trial took 107.2 (rung 6: 134.3; without waiting, so wrong, 104.2).
// With a slack of 3 it took 109.4, with a slack of 1 more than 150. On an H100 the ring at a
// multiple of 128 bytes takes 135.7 us, at 368 bytes 138.9.
// Measured: 135.9 us at 67108864, 97 % of the limit (H100 80GB HBM3, 2026-11-25)
#include "../common/tile_ring.h"
#include "slab_select.h"

constexpr int WARPS = 16;
constexpr int WORKERS = 32 * WARPS;
constexpr int STAGES = 7;
constexpr int SLACK = 4;
using Tile = TileSelect<WORKERS>;  // 8192 elements, 32 KiB
using Ring = TileRing<unsigned, Tile::SIZE, STAGES, WORKERS>;

__global__ void __launch_bounds__(Ring::THREADS, 1)
    compact_kernel(const float* x, float* y, int* count, int n, int tiles, TileStates states) {
  extern __shared__ __align__(128) float4 memory[];  // [STAGES][Tile::SIZE]
  __shared__ Ring ring;
  __shared__ unsigned warp_sums[2][WARPS];
  __shared__ unsigned totals[STAGES];
  ring.start();
  __syncthreads();
  const int tid = threadIdx.x;
  if (tid / 32 == WARPS) {
    if (tid % 32 == 0) ring.copy_tiles(memory, x, n, tiles);
    return;
  }
  if (tid / 32 == WARPS + 1) return ring.add_sums(states, tiles);

  const auto barrier = [] { workers_barrier<WORKERS>(); };
  for (int k = 0; ring.number(k - SLACK) < tiles; ++k) {
    const int number = ring.number(k);
    if (number < tiles) {
      float* stage = ring.stage(memory, k);
      ring.wait_for_tile(k);
      Tile tile;
      tile.load(stage, n - number * Tile::SIZE);
      const unsigned total = tile.rank(warp_sums[k % 2], barrier);
      if (tid == 0) {
        publish(&states.words[number], states.aggregate_tag(), total);
        totals[k % STAGES] = total;
      }
      tile.scatter(stage);  // all elements are in registers since the barrier
    } else {
      barrier();  // as many barriers between scatter() and the stores as for other tiles
    }
    const int done = k - SLACK;
    if (done < 0) continue;
    const unsigned before = ring.sum_before(done);
    const int total = totals[done % STAGES];
    const float* kept = ring.stage(memory, done);
    for (int i = tid - static_cast<int>(before % 32); i < total; i += WORKERS) {
      if (i >= 0) y[before + i] = kept[i];
    }
    if (ring.number(done) == tiles - 1 && tid == 0) *count = before + total;
    ring.release(done);
  }
}

extern "C" void compact(const float* x, float* y, int* count, int n) {
  if (n <= SlabTile::SIZE * slab_blocks()) return compact_by_slabs(x, y, count, n);
  static const int most = resident_blocks(compact_kernel, Ring::THREADS, Ring::BYTES);
  const int tiles = kata::ceil_div(n, Tile::SIZE);
  compact_kernel<<<min(tiles, most), Ring::THREADS, Ring::BYTES>>>(x, y, count, n, tiles,
                                                                   new_tile_states(tiles));
}
