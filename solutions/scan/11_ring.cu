// A ring of tiles, and three steps of slack between the scan of a tile and its store.
//
// Rung 10 stores a tile one step after its scan, and in each step the slowest block holds up all
// others. Here a scanned tile stays in shared memory for three more steps (common/tile_ring.h), and
// a warp of its own waits for the sums. Where the tiles lie in shared memory matters: at 304 bytes
// the same code takes 149 us, at 320 and 416 bytes 137. Inputs that fit one tile per SM take rung
// 10's kernel with tiles of half the size and no copies ahead: at 2^20 it uses 128 SMs, not 64.
//
// Prediction: 145 us at 2^26. A trial took 137.2 (rung 10: 152.3), with a slack of 2 140.1. At 2^20
// 7.6 us (8.4); a trial on an H100 took 7.90, and 8.42 with two tiles copied ahead.
// Measured: 180.7 us at 67108864, 97 % of the limit (H100 80GB HBM3, 2026-11-25)
#include "../common/tile_ring.h"
#include "slab_scan.h"

constexpr int WARPS = 16;
constexpr int WORKERS = 32 * WARPS;
constexpr int ROUNDS = 4;
constexpr int SIZE = TileScan<WORKERS, ROUNDS>::SIZE;  // 8192 elements, 32 KiB
constexpr int STAGES = 6;
constexpr int SLACK = 3;
using Tile = TileScan<WORKERS, ROUNDS>;
using Ring = TileRing<float, SIZE, STAGES, WORKERS>;

__global__ void __launch_bounds__(Ring::THREADS, 1)
    ring_kernel(const float* x, float* y, int n, int tiles, TileStates states) {
  extern __shared__ __align__(128) float4 memory[];  // [STAGES][SIZE]
  __shared__ Ring ring;
  __shared__ float warp_sums[2][WARPS];
  ring.start();
  __syncthreads();
  const int warp = threadIdx.x / 32;
  if (warp == WARPS) {
    if (threadIdx.x % 32 == 0) ring.copy_tiles(memory, x, n, tiles);
    return;
  }
  if (warp == WARPS + 1) return ring.add_sums(states, tiles);

  for (int k = 0; ring.number(k - SLACK) < tiles; ++k) {
    const int number = ring.number(k);
    if (number < tiles) {
      float* stage = ring.stage(memory, k);
      ring.wait_for_tile(k);
      Tile tile;
      tile.load(stage, n - number * SIZE);
      const float total = tile.scan(warp_sums[k % 2], [] { workers_barrier<WORKERS>(); });
      if (threadIdx.x == 0) publish(&states.words[number], states.aggregate_tag(), total);
      tile.store(stage, SIZE, 0.0f);  // each thread reads its own elements again: no barrier
    }
    const int done = k - SLACK;
    if (done < 0) continue;
    const int first = ring.number(done) * SIZE;
    Tile scanned;
    scanned.load(ring.stage(memory, done), SIZE);
    scanned.store(y + first, n - first, ring.sum_before(done));
    ring.release(done);
  }
}

extern "C" void scan(const float* x, float* y, int n) {
  if (n <= 8192 * slab_blocks<2, 1>()) return scan_by_slabs<2, 1>(x, y, n);
  static const int most = resident_blocks(ring_kernel, Ring::THREADS, Ring::BYTES);
  const int tiles = kata::ceil_div(n, SIZE);
  ring_kernel<<<min(tiles, most), Ring::THREADS, Ring::BYTES>>>(x, y, n, tiles,
                                                                new_tile_states(tiles));
}
