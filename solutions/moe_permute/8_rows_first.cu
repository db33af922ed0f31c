// The rows are on their way while the assignments are sorted: only the stores need places.
//
// The copy is launched early (programmatic launch): its blocks start beside the cluster that sorts,
// load their rows to shared memory, and wait for the places before they store. 15 blocks per SM
// hold 27 MB, nearly half of x at 4096 x 7168.
//
// Prediction: the sort, 8 us, hides the loads of 27 MB, 6 us at 4.2 TB/s, and the second launch:
// 138 us at 4096 x 7168 with k = 8 instead of 145.
// Measured: 142.2 us at 4096x7168x256x8, 87 % of the limit (H200, 2026-11-29)
#include "bulk_rows.h"
#include "cluster_sort.h"
#include "few_rows.h"

extern "C" void moe_permute(const __nv_bfloat16* x, const int* expert, __nv_bfloat16* y,
                            int* offsets, int* position, int tokens, int dim, int experts, int k) {
  if (permute_few(x, expert, y, offsets, position, tokens, dim, experts, k)) return;
  place_in_cluster(expert, offsets, position, tokens * k, experts);
  copy_rows<true>(x, position, y, tokens, dim, k);
}
