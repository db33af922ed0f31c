// Fault: one block for each row in the grid's y, which has 65535 at most.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (col < cols) out[col * rows + row] = in[row * cols + col];
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  transpose_kernel<<<dim3((cols + 31) / 32, rows), 32>>>(in, out, rows, cols);
}
