// Tiles of 32 x 32 with the column xor-ed by the row instead of padding; a clamped two-dimensional grid walks over all tiles.
#include <cuda_runtime.h>

__global__ void turn(const float* in, float* out, int rows, int cols, int across, int down) {
  __shared__ float tile[32][32];
  for (int ty = blockIdx.y; ty < down; ty += gridDim.y) {
    for (int tx = blockIdx.x; tx < across; tx += gridDim.x) {
      for (int k = threadIdx.y; k < 32; k += 8) {
        const int r = ty * 32 + k, c = tx * 32 + threadIdx.x;
        if (r < rows && c < cols) tile[k][threadIdx.x ^ k] = in[static_cast<size_t>(r) * cols + c];
      }
      __syncthreads();
      for (int k = threadIdx.y; k < 32; k += 8) {
        const int r = tx * 32 + k, c = ty * 32 + threadIdx.x;
        if (r < cols && c < rows) out[static_cast<size_t>(r) * rows + c] = tile[threadIdx.x][k ^ threadIdx.x];
      }
      __syncthreads();
    }
  }
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const int across = (cols - 1) / 32 + 1, down = (rows - 1) / 32 + 1;
  const dim3 grid(across < 300 ? across : 300, down < 500 ? down : 500);
  turn<<<grid, dim3(32, 8)>>>(in, out, rows, cols, across, down);
}
