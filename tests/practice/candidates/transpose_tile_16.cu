// A padded tile, half as wide as the ladder's.
#include <cuda_runtime.h>

__global__ void tile_kernel(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[16][17];
  const int tiles = (cols + 15) / 16, tile_r = blockIdx.x / tiles, tile_c = blockIdx.x % tiles;
  int r = tile_r * 16 + threadIdx.y, c = tile_c * 16 + threadIdx.x;
  if (r < rows && c < cols) tile[threadIdx.y][threadIdx.x] = in[static_cast<size_t>(r) * cols + c];
  __syncthreads();
  r = tile_r * 16 + threadIdx.x;
  c = tile_c * 16 + threadIdx.y;
  if (r < rows && c < cols) out[static_cast<size_t>(c) * rows + r] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  tile_kernel<<<((cols + 15) / 16) * ((rows + 15) / 16), dim3(16, 16)>>>(in, out, rows, cols);
}
