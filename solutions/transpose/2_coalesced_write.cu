// The other way round: the warp writes a row of the output and reads a column of the input.
//
// One of the two has to be strided without shared memory. A strided load costs less than a strided
// store: L1 keeps the sectors (32 columns of 32 bytes) and the 8 warps beside this one read the
// other floats of each. `__ldg` says that nobody writes `in` while the kernel runs.
//
// Prediction: still 32 + 4 sectors for each warp from L1's point of view, but of the 32, 7/8 may be
// hits in L1: a block reads 32 x 32 floats, 128 sectors in all, 4 KiB. If they stay there, L2 sees
// the 8 sectors of a copy.
// Measured: 395.1 us at 8192x8192, 33 % of the limit (H200, 2026-11-22)
#include <kata/kata.h>

constexpr int TILE = 32;  // block side: gridDim.y is at most 65535, so cols at most 2 million

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * TILE + threadIdx.x;
  const int col = blockIdx.y * TILE + threadIdx.y;
  if (row < rows && col < cols) {
    out[static_cast<size_t>(col) * rows + row] = __ldg(&in[static_cast<size_t>(row) * cols + col]);
  }
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const dim3 block(TILE, TILE);
  const dim3 grid(kata::ceil_div(rows, TILE), kata::ceil_div(cols, TILE));
  transpose_kernel<<<grid, block>>>(in, out, rows, cols);
}
