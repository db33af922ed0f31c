// Fault: the tile is swizzled where it is written and not where it is read.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y;
  int col = blockIdx.x * 32 + tx, row = blockIdx.y * 32 + ty;
  tile[ty][tx ^ ty] = row < rows && col < cols ? in[row * cols + col] : 0.0f;
  __syncthreads();
  col = blockIdx.y * 32 + tx;
  row = blockIdx.x * 32 + ty;
  if (row < cols && col < rows) out[row * rows + col] = tile[tx][ty];
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const dim3 grid((cols + 31) / 32, (rows + 31) / 32);
  transpose_kernel<<<grid, dim3(32, 32)>>>(in, out, rows, cols);
}
