// Fault: no barrier between the tile's load and the read of its columns.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][33];
  int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) {
    if (row + k < rows && col < cols) {
      tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
    }
  }
  col = blockIdx.y * 32 + threadIdx.x;
  row = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) {
    if (row + k < cols && col < rows) {
      out[(row + k) * rows + col] = tile[threadIdx.x][threadIdx.y + k];
    }
  }
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const dim3 grid((cols + 31) / 32, (rows + 31) / 32);
  transpose_kernel<<<grid, dim3(32, 8)>>>(in, out, rows, cols);
}
