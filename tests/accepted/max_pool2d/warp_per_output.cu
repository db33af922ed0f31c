// A warp for each output: the lanes share its window and find the largest by shuffles. Planes come
// along grid.z in a loop, and rows along grid.y.
#include <cuda_runtime.h>
#include <float.h>

__global__ void max_pool2d_kernel(const float* input, float* output, int planes, int H, int W,
                                  int out_H, int out_W, int kernel_size, int stride, int padding) {
  const int out_row = blockIdx.y;
  for (int plane = blockIdx.z; plane < planes; plane += gridDim.z) {
    const float* in = input + (size_t)plane * H * W;
    for (int out_col = blockIdx.x * blockDim.y + threadIdx.y; out_col < out_W;
         out_col += gridDim.x * blockDim.y) {
      float best = -FLT_MAX;
      for (int t = threadIdx.x; t < kernel_size * kernel_size; t += 32) {
        const int row = out_row * stride - padding + t / kernel_size;
        const int col = out_col * stride - padding + t % kernel_size;
        if ((unsigned)row < (unsigned)H && (unsigned)col < (unsigned)W) {
          best = fmaxf(best, __ldg(in + row * W + col));
        }
      }
      for (int offset = 16; offset > 0; offset /= 2) {
        best = fmaxf(best, __shfl_xor_sync(0xffffffffu, best, offset));
      }
      if (threadIdx.x == 0) output[((size_t)plane * out_H + out_row) * out_W + out_col] = best;
    }
  }
}

extern "C" void max_pool2d(const float* input, float* output, int N, int C, int H, int W,
                           int kernel_size, int stride, int padding) {
  const int out_H = (H + 2 * padding - kernel_size) / stride + 1;
  const int out_W = (W + 2 * padding - kernel_size) / stride + 1;
  const dim3 grid(min((out_W + 3) / 4, 32), out_H, min(N * C, 1024));
  max_pool2d_kernel<<<grid, dim3(32, 4)>>>(input, output, N * C, H, W, out_H, out_W, kernel_size,
                                           stride, padding);
}
