// Fault: threads outside the matrix return before the barrier, and their part of the tile's
// transpose is never written.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[16][17];
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= rows || col >= cols) return;
  tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
  __syncthreads();
  col = blockIdx.y * 16 + threadIdx.x;
  row = blockIdx.x * 16 + threadIdx.y;
  if (row < cols && col < rows) out[row * rows + col] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const dim3 grid((cols + 15) / 16, (rows + 15) / 16);
  transpose_kernel<<<grid, dim3(16, 16)>>>(in, out, rows, cols);
}
