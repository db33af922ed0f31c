// Padded 32 x 32 tiles in a one-dimensional grid, eight warps per block, four rows of the tile per warp.
#include <cuda_runtime.h>

__global__ void flat(const float* in, float* out, int rows, int cols, int across) {
  __shared__ float tile[32][33];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int r0 = blockIdx.x / across * 32, c0 = blockIdx.x % across * 32;
  for (int k = warp; k < 32; k += 8)
    if (r0 + k < rows && c0 + lane < cols) tile[k][lane] = in[static_cast<size_t>(r0 + k) * cols + c0 + lane];
  __syncwarp();
  for (int k = warp; k < 32; k += 8)
    if (c0 + k < cols && r0 + lane < rows) out[static_cast<size_t>(c0 + k) * rows + r0 + lane] = tile[lane][k];
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const int across = (cols - 1) / 32 + 1, down = (rows - 1) / 32 + 1;
  flat<<<across * down, 256>>>(in, out, rows, cols, across);
}
