// Fault: the number of 256 x 256 tiles is the sum of those along both edges, not their product.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const int across = (cols + 255) / 256;
  const int first_row = blockIdx.x / across * 256, first_col = blockIdx.x % across * 256;
  const int end = min(first_row + 256, rows), col = first_col + threadIdx.x;
  if (col >= cols) return;
  for (int row = first_row; row < end; ++row) out[col * rows + row] = in[row * cols + col];
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const int down = (rows + 255) / 256, across = (cols + 255) / 256;
  transpose_kernel<<<down + across - 1, 256>>>(in, out, rows, cols);
}
