// Fault: the grid is computed from the wrong dimensions: correct only for square matrices.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const dim3 grid((rows + 15) / 16, (cols + 15) / 16);
  transpose_kernel<<<grid, dim3(16, 16)>>>(in, out, rows, cols);
}
