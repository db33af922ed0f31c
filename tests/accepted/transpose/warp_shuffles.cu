// A warp turns a tile of 32 x 32 in its registers: each of 32 rounds swaps a diagonal by a shuffle.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const int lane = threadIdx.x;
  const int first_row = blockIdx.y * 32, first_col = blockIdx.x * 32;
  float mine[32];  // mine[r]: row r of the tile, column `lane`
  for (int r = 0; r < 32; ++r) {
    const int row = first_row + r, col = first_col + lane;
    mine[r] = row < rows && col < cols ? in[row * cols + col] : 0.0f;
  }
  for (int c = 0; c < 32; ++c) {  // column c of the tile becomes a row of the output
    float value = 0.0f;
    for (int r = 0; r < 32; ++r) {
      const float sent = __shfl_sync(0xffffffffu, mine[r], c);
      if (r == lane) value = sent;
    }
    const int row = first_col + c, col = first_row + lane;
    if (row < cols && col < rows) out[row * rows + col] = value;
  }
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  transpose_kernel<<<dim3((cols + 31) / 32, (rows + 31) / 32), 32>>>(in, out, rows, cols);
}
