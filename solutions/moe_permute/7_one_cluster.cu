// One cluster of eight blocks sorts all assignments: places cost one launch, not five.
//
// Rung 5's five kernels each wait for the one before and for a few loads. Here a block has an eighth
// of the assignments in 32 warps, and reads the counts of the other blocks from their shared memory.
// A thread has an expert; a lane holds eight assignments, whose loads are under way at once. The
// kernel is in cluster_sort.h.
//
// Prediction: one launch, two passes over the assignments, the counts of 32 warps and 8 blocks, two
// cluster barriers: 8 us instead of 20 at 4096 x 7168 with k = 8, which leaves 145 us in all.
// Measured: 146.1 us at 4096x7168x256x8, 85 % of the limit (H200, 2026-11-29)
#include "bulk_rows.h"
#include "cluster_sort.h"
#include "few_rows.h"

extern "C" void moe_permute(const __nv_bfloat16* x, const int* expert, __nv_bfloat16* y,
                            int* offsets, int* position, int tokens, int dim, int experts, int k) {
  if (permute_few(x, expert, y, offsets, position, tokens, dim, experts, k)) return;
  place_in_cluster(expert, offsets, position, tokens * k, experts);
  copy_rows(x, position, y, tokens, dim, k);
}
