// Fault: the blocks are swapped, but each tile is written as it was read.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[16][16];
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = row < rows && col < cols ? in[row * cols + col] : 0.0f;
  __syncthreads();
  col = blockIdx.y * 16 + threadIdx.x;
  row = blockIdx.x * 16 + threadIdx.y;
  if (row < cols && col < rows) out[row * rows + col] = tile[threadIdx.y][threadIdx.x];
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const dim3 grid((cols + 15) / 16, (rows + 15) / 16);
  transpose_kernel<<<grid, dim3(16, 16)>>>(in, out, rows, cols);
}
