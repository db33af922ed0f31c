// Blocks are numbered down the columns of tiles: what they write lies next to each other.
//
// Tiles below each other hold neighbouring pieces of the same output rows. Blocks start in the
// order of their numbers, so with this order a DRAM page of the output is filled by blocks that run
// at the same time, and a sector that two blocks share is complete in L2 before it is written back.
// The reads are now the scattered side, and L2 reads ahead for them.
//
// Prediction: reads outnumber writes by 72 to 64 and now come from more pages, so the gain is small:
// 5 % at 4095 x 8191.
// Measured: 72.1 us at 4095x8191, 90 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/aligned.h"
#include "by_four.h"
#include "sector_tile.h"

constexpr int TR = 64;  // rows and columns of the tile that are written
constexpr int TC = 64;

// Any rows and cols. The first tile starts 8 rows above the matrix, so that shifted pieces cover
// row 0.
__global__ void __launch_bounds__(THREADS)
    transpose_any_kernel(const float* in, float* out, int rows, int cols, int tiles_down) {
  __shared__ float tile[TR + SECTOR][TC + 1];
  const int row0 = blockIdx.x % tiles_down * TR - SECTOR;
  const int col0 = blockIdx.x / tiles_down * TC;
  if (row0 >= 0 && row0 + TR + SECTOR <= rows && col0 + TC <= cols) {
    transpose_tile<TR, TC, true>(in, out, rows, cols, row0, col0, tile);
  } else {
    transpose_tile<TR, TC, false>(in, out, rows, cols, row0, col0, tile);
  }
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  if (rows % 4 == 0 && cols % 4 == 0 && is_aligned16(in) && is_aligned16(out)) {
    transpose_by_four<true>(in, out, rows, cols);
  } else {
    const int tiles_down = kata::ceil_div(rows + SECTOR, TR);
    const int tiles_across = kata::ceil_div(cols, TC);
    transpose_any_kernel<<<tiles_down * tiles_across, THREADS>>>(in, out, rows, cols, tiles_down);
  }
}
