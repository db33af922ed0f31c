// Output tiles of 32 x 16 with their border in shared memory; a few blocks walk over all tiles; two outputs per thread.
#include <cuda_runtime.h>

namespace {
constexpr int kTileX = 32, kTileY = 16, kMost = 31;

__global__ void tiles_kernel(const float* x, const float* w, float* y, int rows, int cols, int kr, int kc, int across,
                             int tiles) {
  __shared__ float xs[kTileY + kMost - 1][kTileX + kMost - 1];
  __shared__ float ws[kMost * kMost];
  const int out_rows = rows - kr + 1, out_cols = cols - kc + 1;
  const int me = threadIdx.y * kTileX + threadIdx.x;
  for (int i = me; i < kr * kc; i += 256) ws[i] = w[i];
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    const int r0 = t / across * kTileY, c0 = t % across * kTileX;
    const int high = kTileY + kr - 1, wide = kTileX + kc - 1;
    __syncthreads();  // the tile before this one is done with
    for (int i = me; i < high * wide; i += 256) {
      const int r = i / wide, c = i % wide;
      xs[r][c] = r0 + r < rows && c0 + c < cols ? x[static_cast<size_t>(r0 + r) * cols + c0 + c] : 0.0f;
    }
    __syncthreads();
    float low = 0.0f, up = 0.0f;
    for (int a = 0; a < kr; ++a)
      for (int b = 0; b < kc; ++b) {
        const float f = ws[a * kc + b];
        up += f * xs[threadIdx.y + a][threadIdx.x + b];
        low += f * xs[threadIdx.y + 8 + a][threadIdx.x + b];
      }
    const int c = c0 + threadIdx.x, r = r0 + threadIdx.y;
    if (c < out_cols && r < out_rows) y[static_cast<size_t>(r) * out_cols + c] = up;
    if (c < out_cols && r + 8 < out_rows) y[static_cast<size_t>(r + 8) * out_cols + c] = low;
  }
}
}  // namespace

extern "C" void conv2d(const float* x, const float* w, float* y, int rows, int cols, int kernel_rows, int kernel_cols) {
  const int across = (cols - kernel_cols) / kTileX + 1;
  const int down = (rows - kernel_rows) / kTileY + 1;
  const int tiles = across * down;
  tiles_kernel<<<tiles < 2000 ? tiles : 2000, dim3(kTileX, 8)>>>(x, w, y, rows, cols, kernel_rows, kernel_cols, across,
                                                                 tiles);
}
