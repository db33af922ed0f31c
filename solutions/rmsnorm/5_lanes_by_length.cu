// As many threads per row as the row needs: a warp for short rows, 512 threads for long ones.
//
// LANES threads share a row: 32 up to 1024 columns, four rows per block of 128 threads, and then
// the whole block. A warp needs no barrier and no shared memory, and no thread is without a pack.
// Each thread holds at most 4 packs, so 16384 columns fit into the registers of a block of 512.
//
// Prediction: at 65536 x 256 all lanes have work, 64 KB in flight per SM: 33 us. At 4096 x 1024 a
// lane holds 4 packs, and the 4096 warps are half a wave: 11 us. At 8192 x 4096 nothing changes.
// Met: 34.2 and 11.5 us.
// Measured: 34.1 us at 65536x256, 97 % of the limit (H200, 2026-11-26)
#include "row_kernel.h"

template <bool VECTOR, class... Arguments>
void launch(int rows, int cols, Arguments... arguments) {
  const int warp_grid = kata::ceil_div(rows, WARP_ROWS);
  const int warp_block = 32 * WARP_ROWS;
  if (cols <= 256) {
    rmsnorm_kernel<32, 1, VECTOR><<<warp_grid, warp_block>>>(arguments...);
  } else if (cols <= 512) {
    rmsnorm_kernel<32, 2, VECTOR><<<warp_grid, warp_block>>>(arguments...);
  } else if (cols <= 1024) {
    rmsnorm_kernel<32, 4, VECTOR><<<warp_grid, warp_block>>>(arguments...);
  } else if (cols <= 2048) {
    rmsnorm_kernel<256, 1, VECTOR><<<rows, 256>>>(arguments...);
  } else if (cols <= 4096) {
    rmsnorm_kernel<256, 2, VECTOR><<<rows, 256>>>(arguments...);
  } else {
    rmsnorm_kernel<512, 4, VECTOR><<<rows, 512>>>(arguments...);
  }
}

extern "C" void rmsnorm(const __nv_bfloat16* x, __nv_bfloat16* residual,
                        const __nv_bfloat16* weight, __nv_bfloat16* y, int rows, int cols,
                        float eps) {
  if (cols % 8 == 0) {
    launch<true>(rows, cols, x, residual, weight, y, rows, cols, eps);
  } else {
    launch<false>(rows, cols, x, residual, weight, y, rows, cols, eps);
  }
}
