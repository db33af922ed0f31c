// Fault: the grid is rounded down: rows and columns past the last whole tile are never written.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const dim3 grid(cols < 16 ? 1 : cols / 16, rows < 16 ? 1 : rows / 16);
  transpose_kernel<<<grid, dim3(16, 16)>>>(in, out, rows, cols);
}
