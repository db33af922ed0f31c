// Fault: the tile is transposed but stays where it was: blockIdx.x and .y are not swapped.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][33];
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
  __syncthreads();
  if (row < cols && col < rows) out[row * rows + col] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const int most = rows > cols ? rows : cols;
  const dim3 grid((most + 31) / 32, (most + 31) / 32);
  transpose_kernel<<<grid, dim3(32, 32)>>>(in, out, rows, cols);
}
