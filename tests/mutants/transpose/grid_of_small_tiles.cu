// Fault: tiles of 16 rows in grid.y: 1048576 rows need 65536 of them, and the limit is 65535.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int side = 16;

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[side][side + 1];
  int col = blockIdx.x * side + threadIdx.x, row = blockIdx.y * side + threadIdx.y;
  if (row < rows && col < cols) {
    __pipeline_memcpy_async(&tile[threadIdx.y][threadIdx.x], &in[row * cols + col], sizeof(float));
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  col = blockIdx.y * side + threadIdx.x;
  row = blockIdx.x * side + threadIdx.y;
  if (row < cols && col < rows) out[row * rows + col] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const dim3 grid((cols + side - 1) / side, (rows + side - 1) / side);
  transpose_kernel<<<grid, dim3(side, side)>>>(in, out, rows, cols);
}
