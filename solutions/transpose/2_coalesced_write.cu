// The other way round: the warp writes a row of the output and reads a column of the input.
//
// Without shared memory one of the two must be strided. A strided load costs less than a strided
// store: L1 keeps the sectors, and 8 neighbouring warps use the other floats of each. `__ldg` says
// that `in` does not change while the kernel runs.
//
// Prediction: 36 sectors per warp reach L1, but 7/8 of the strided 32 can be hits: a block reads
// 32 x 32 floats, 128 sectors, 4 KiB. Then L2 sees the 8 sectors of a copy. L1 is the limit: 32
// cache lines per request at one per clock are 257 us at 8192 x 8192.
// Measured: 387.7 us at 8192x8192, 33 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

constexpr int TILE = 32;  // block side; gridDim.y is at most 65535, so cols is at most 2 million

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
