// One thread moves one element: a warp reads a row of 32 and writes a column of 32.
//
// Reads are coalesced: 128 consecutive bytes, 4 sectors of 32 bytes. The writes go to 32 addresses
// that are 4 * rows bytes apart, 32 sectors.
//
// Prediction: L2 handles the 36 sectors of a load and a store where 8 would do: up to 4.5 times
// the time of a copy, 0.6 ms at 8192 x 8192. If L2 cannot merge the 8 partial writes of a sector
// in time, 8 times the bytes are written. Missed: 7 times a copy, so a partly written sector costs
// more than one that is read.
// Measured: 968.3 us at 8192x8192, 13 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

constexpr int TILE = 32;  // block side; gridDim.y is at most 65535, so rows is at most 2 million

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * TILE + threadIdx.x;
  const int row = blockIdx.y * TILE + threadIdx.y;
  if (row < rows && col < cols) {
    out[static_cast<size_t>(col) * rows + row] = in[static_cast<size_t>(row) * cols + col];
  }
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const dim3 block(TILE, TILE);
  const dim3 grid(kata::ceil_div(cols, TILE), kata::ceil_div(rows, TILE));
  transpose_kernel<<<grid, block>>>(in, out, rows, cols);
}
