// Wide tiles read long pieces of rows; narrow matrices get tall tiles instead.
//
// A tile of 32 x 96 reads 384 consecutive bytes of each row and writes 128: four whole sectors.
// Reads need longer pieces than writes, because rows of the input begin at any address and both ends
// of a piece are partial sectors. If the matrix has at most 64 columns, a wide tile would be mostly
// empty: there it is 128 x 32.
//
// Prediction: 40 rows are read for 32 written, more than 72 for 64, but through L2, where the next
// tile's rows already are. 19 KB of shared memory per block become 16. 72 us at
// 4095 x 8191.
// Measured: 71.2 us at 4095x8191, 91 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/aligned.h"
#include "by_four.h"
#include "sector_tile.h"

// Any rows and cols. The first tile starts 8 rows above the matrix, so that shifted pieces cover
// row 0.
template <int TR, int TC>
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

template <int TR, int TC>
void transpose_any(const float* in, float* out, int rows, int cols) {
  const int tiles_down = kata::ceil_div(rows + SECTOR, TR);
  const int tiles_across = kata::ceil_div(cols, TC);
  transpose_any_kernel<TR, TC>
      <<<tiles_down * tiles_across, THREADS>>>(in, out, rows, cols, tiles_down);
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  if (rows % 4 == 0 && cols % 4 == 0 && is_aligned16(in) && is_aligned16(out)) {
    transpose_by_four<true>(in, out, rows, cols);
  } else if (cols <= 64) {
    transpose_any<128, 32>(in, out, rows, cols);
  } else {
    transpose_any<32, 96>(in, out, rows, cols);
  }
}
