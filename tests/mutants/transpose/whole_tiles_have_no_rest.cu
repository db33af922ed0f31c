// Fault: the last tile has rows % 32 rows, which is none if rows is a multiple of 32.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const int height = blockIdx.y + 1 < gridDim.y ? 32 : rows % 32;
  const int col = blockIdx.x * 32 + threadIdx.x;
  if (col >= cols) return;
  for (int r = threadIdx.y; r < height; r += 8) {
    const int row = blockIdx.y * 32 + r;
    out[col * rows + row] = in[row * cols + col];
  }
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const dim3 grid((cols + 31) / 32, (rows + 31) / 32);
  transpose_kernel<<<grid, dim3(32, 8)>>>(in, out, rows, cols);
}
