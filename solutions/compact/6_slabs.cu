// Slabs: the blocks work in step, and each adds up all tile counts itself, one step later.
//
// The idea of scan's rung 10: a block stays on its SM, works on every 264th tile, and a slab is one
// tile of each block. A block publishes its count and puts the kept elements in order in the buffer
// of the tile. Then it reads the counts of the slab before (slab_sums.h), which have had a whole
// step to arrive, and stores the kept elements of that slab. The next tile is already on its way.
//
// Prediction: no chain of counts, and reads continue during the stores: 112 us at 2^26. Missed:
// a block still waits for the slowest one in each of 32 steps. A trial took 135 us.
// Measured: 163.7 us at 67108864, 81 % of the limit (H100 80GB HBM3, 2026-11-25)
#include "slab_select.h"

extern "C" void compact(const float* x, float* y, int* count, int n) {
  compact_by_slabs(x, y, count, n);
}
