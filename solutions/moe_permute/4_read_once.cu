// A block per token, not per assignment: the row is read once into registers and stored k times.
//
// push_rows.h has the copy. The loads are marked as used once, so that x does not push lines of y
// out of L2 before they are written back.
//
// Prediction: reads fall from 470 MB, mostly from L2, to 59 MB from device memory. What remains is
// 529 MB, which a plain copy moves in 123 us. Here rows go to places all over y, in pieces of 2 KB:
// 130 us, and 12 us for the places: 142 us at 4096 x 7168 with k = 8. Missed: 147 us and 20 us.
// Measured: 166.4 us at 4096x7168x256x8, 74 % of the limit (H200, 2026-11-29)
#include "counting_sort.h"
#include "push_rows.h"

extern "C" void moe_permute(const __nv_bfloat16* x, const int* expert, __nv_bfloat16* y,
                            int* offsets, int* position, int tokens, int dim, int experts, int k) {
  place_assignments(expert, offsets, position, tokens * k, experts);
  push_rows(x, position, y, tokens, dim, k);
}
