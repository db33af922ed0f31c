// Fault: only the row is checked: past the last column the next row is read, and written below.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 4 + threadIdx.y;
  if (row < rows) out[col * rows + row] = in[row * cols + col];
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const dim3 grid((cols + 31) / 32, (rows + 3) / 4);
  transpose_kernel<<<grid, dim3(32, 4)>>>(in, out, rows, cols);
}
