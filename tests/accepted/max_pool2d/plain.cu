// A plain kernel with a tile of inputs in shared memory. faults.toml plants mistakes in it.
#include <cuda_runtime.h>
#include <math.h>

__global__ void max_pool2d_kernel(const float* input, float* output, int H, int W, int out_H,
                                  int out_W, int kernel_size, int stride, int padding, int down,
                                  int across) {
  extern __shared__ float tile[];
  const int side = blockDim.x;
  const int width = (side - 1) * stride + kernel_size;
  const int plane = blockIdx.x / (down * across);
  const int out_row = blockIdx.x / across % down * side + threadIdx.y;
  const int out_col = blockIdx.x % across * side + threadIdx.x;
  const int first_row = (out_row - (int)threadIdx.y) * stride - padding;
  const int first_col = (out_col - (int)threadIdx.x) * stride - padding;
  const float* in = input + (size_t)plane * H * W;
  for (int r = threadIdx.y; r < width; r += side) {
    for (int c = threadIdx.x; c < width; c += side) {
      const int row = first_row + r, col = first_col + c;
      const bool in_bounds = row >= 0 && row < H && col >= 0 && col < W;
      tile[r * width + c] = in_bounds ? in[row * W + col] : -INFINITY;
    }
  }
  __syncthreads();
  if (out_row >= out_H || out_col >= out_W) return;
  float best = -INFINITY;
  for (int a = 0; a < kernel_size; ++a) {
    for (int b = 0; b < kernel_size; ++b) {
      const float x = tile[(threadIdx.y * stride + a) * width + threadIdx.x * stride + b];
      if (x > best) best = x;
    }
  }
  output[((size_t)plane * out_H + out_row) * out_W + out_col] = best;
}

extern "C" void max_pool2d(const float* input, float* output, int N, int C, int H, int W,
                           int kernel_size, int stride, int padding) {
  const int out_H = (H + 2 * padding - kernel_size) / stride + 1;
  const int out_W = (W + 2 * padding - kernel_size) / stride + 1;
  const int side = stride <= 2 ? 16 : 4;
  const int down = (out_H - 1) / side + 1, across = (out_W - 1) / side + 1;
  const int width = (side - 1) * stride + kernel_size;
  max_pool2d_kernel<<<N * C * down * across, dim3(side, side), width * width * sizeof(float)>>>(
      input, output, H, W, out_H, out_W, kernel_size, stride, padding, down, across);
}
