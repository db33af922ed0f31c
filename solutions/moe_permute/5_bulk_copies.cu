// Bulk copies move whole rows: one from global to shared memory, k back.
//
// A block is one warp. A row of 7168 elements is 14 KB, so 15 blocks share an SM and keep 200 KB in
// flight without a register for data or an instruction per 16 bytes. bulk_rows.h needs rows that
// begin at multiples of 16 bytes; rows that do not, and short ones, take the copy of rung 4.
//
// Prediction: memory was the limit before. Pieces of 14 KB that are written at once let DRAM stay on
// a page: 125 us for the copy instead of 130, with 12 us for the places 137 us at 4096 x 7168 with
// k = 8. Missed: 137 us for the copy, at 3.9 TB/s, and 20 us for the places.
// Measured: 158.0 us at 4096x7168x256x8, 78 % of the limit (H200, 2026-11-29)
#include "bulk_rows.h"

extern "C" void moe_permute(const __nv_bfloat16* x, const int* expert, __nv_bfloat16* y,
                            int* offsets, int* position, int tokens, int dim, int experts, int k) {
  place_assignments(expert, offsets, position, tokens * k, experts);
  copy_rows(x, position, y, tokens, dim, k);
}
