// Fault: output rows are assumed to be cols long: correct only for square matrices.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row < rows && col < cols) out[col * cols + row] = in[row * cols + col];
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const dim3 grid((cols + 31) / 32, (rows + 7) / 8);
  transpose_kernel<<<grid, dim3(32, 8)>>>(in, out, rows, cols);
}
