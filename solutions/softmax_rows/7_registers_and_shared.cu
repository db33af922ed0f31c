// The block holds as much of the row as it can in registers, and only the rest in shared memory.
//
// An SM has 256 KiB of registers beside 227 KiB of shared memory. Up to 16384 columns, the block
// needs registers alone. Up to 32768, 512 threads hold half of the row in each, and two blocks
// share an SM: one loads while the other stores. For longer rows 1024 threads hold 81920 columns.
//
// Prediction: no gain at 8192 x 4096. 4096 x 32768 is 1.07 GB: 0.25 ms at 4.3 TB/s, because two
// blocks overlap where rung 6 has one. 128 x 131072: 134 MB from memory and 25 MB from L2: 33 us at
// 4.1 TB/s.
// Measured: 263.5 us at 4096x32768, 96 % of the limit (H200, 2026-11-26)
#include "block_rows.h"
#include "warp_rows.h"

template <bool VECTOR>
void launch(const float* x, float* y, int rows, int cols) {
  if (cols <= 1024) {
    launch_warps<VECTOR>(x, y, rows, cols);
  } else if (cols <= 4096) {
    launch_blocks<256, 4, 0, VECTOR>(x, y, rows, cols);
  } else {
    launch_long_rows<VECTOR>(x, y, rows, cols);
  }
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  if (cols % 4 == 0 && is_aligned16(x) && is_aligned16(y)) {
    launch<true>(x, y, rows, cols);
  } else {
    launch<false>(x, y, rows, cols);
  }
}
