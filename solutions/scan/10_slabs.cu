// Slabs: the blocks work in step, and each adds up all tile sums itself, one step later.
//
// In rung 9 a tile waits for what earlier tiles have found out, and the SM's memory idles
// meanwhile. Here a block stays on its SM and takes every 132nd tile; a slab is one tile of each
// block. It scans its tile and publishes the sum, then reads the sums of the slab before
// (slab_sums.h), which have had a whole step to arrive, and stores the tile of that slab from
// registers (slab_scan.h). Copies of three further tiles are always under way (cp.async): a thread
// copies what it scans.
//
// Prediction: nothing waits for a chain, 192 KB in flight per SM: 142 us at 2^26. Missed: a block
// still waits for the slowest one in each of 32 steps. A trial took 160 us (rung 9: 184).
// Measured: 188.6 us at 67108864, 93 % of the limit (H100 80GB HBM3, 2026-11-25)
#include "slab_scan.h"

constexpr int ROUNDS = 4;  // 16384 elements per tile, 64 KiB
constexpr int STAGES = 3;

extern "C" void scan(const float* x, float* y, int n) {
  scan_by_slabs<ROUNDS, STAGES>(x, y, n);
}
