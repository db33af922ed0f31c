// Few assignments need no sort: each block counts what comes before its own, and copies.
//
// The place of an assignment is the number of those to lower experts, or to the same expert and
// earlier. A block owns a token, and each of its warps counts for one slot at a time. No block waits
// for another one, so places and copy are one kernel; the last block writes the offsets.
//
// Prediction: at 128 tokens with k = 8 a warp reads 1024 numbers twice, about 2 us, and 16.5 MB of
// rows take 5 us: 8 us in one launch instead of 18 us in six. The work grows with the square of the
// number of assignments: 4096 of them still cost less than launches do. More take rung 5.
// Measured: 10.4 us at 128x7168x256x8, 70 % of the limit (H200, 2026-11-29)
#include "bulk_rows.h"
#include "few_rows.h"

extern "C" void moe_permute(const __nv_bfloat16* x, const int* expert, __nv_bfloat16* y,
                            int* offsets, int* position, int tokens, int dim, int experts, int k) {
  if (permute_few(x, expert, y, offsets, position, tokens, dim, experts, k)) return;
  place_assignments(expert, offsets, position, tokens * k, experts);
  copy_rows(x, position, y, tokens, dim, k);
}
