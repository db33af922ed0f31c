// Indices outside are clamped to the edge: an element of the window that counts twice changes no
// maximum. A few blocks stride through the outputs, with int indices.
#include <cuda_runtime.h>

__global__ void max_pool2d_kernel(const float* input, float* output, int outputs, int H, int W,
                                  int out_H, int out_W, int kernel_size, int stride, int padding) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < outputs; i += gridDim.x * blockDim.x) {
    const int col = i % out_W * stride - padding, row = i / out_W % out_H * stride - padding;
    const float* in = input + i / (out_H * out_W) * H * W;
    float best = in[min(max(row, 0), H - 1) * W + min(max(col, 0), W - 1)];
    for (int t = kernel_size * kernel_size - 1; t > 0; --t) {
      const int y = min(max(row + t / kernel_size, 0), H - 1);
      const int x = min(max(col + t % kernel_size, 0), W - 1);
      best = max(in[y * W + x], best);
    }
    output[i] = best;
  }
}

extern "C" void max_pool2d(const float* input, float* output, int N, int C, int H, int W,
                           int kernel_size, int stride, int padding) {
  const int out_H = (H + 2 * padding - kernel_size) / stride + 1;
  const int out_W = (W + 2 * padding - kernel_size) / stride + 1;
  max_pool2d_kernel<<<60, 160>>>(input, output, N * C * out_H * out_W, H, W, out_H, out_W,
                                 kernel_size, stride, padding);
}
