// Every input offers itself to the windows that it is in, by atomic operations on its bits. Numbers
// with a sign bit are ordered the other way round as unsigned, -0 included.
#include <cuda_runtime.h>
#include <float.h>

__global__ void start_kernel(float* output, size_t outputs) {
  const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < outputs) output[i] = -FLT_MAX;
}

__global__ void scatter_kernel(const float* input, float* output, size_t inputs, int H, int W,
                               int out_H, int out_W, int kernel_size, int stride, int padding) {
  const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i >= inputs) return;
  const int bits = __float_as_int(input[i]);
  const int col = i % W + padding, row = i / W % H + padding;
  float* out = output + i / W / H * out_H * out_W;
  const int first_row = max(0, (row - kernel_size + stride) / stride);
  const int first_col = max(0, (col - kernel_size + stride) / stride);
  for (int y = first_row; y < out_H && y * stride <= row; ++y) {
    for (int x = first_col; x < out_W && x * stride <= col; ++x) {
      float* to = out + y * out_W + x;
      if (bits >= 0) {
        atomicMax(reinterpret_cast<int*>(to), bits);
      } else {
        atomicMin(reinterpret_cast<unsigned*>(to), static_cast<unsigned>(bits));
      }
    }
  }
}

extern "C" void max_pool2d(const float* input, float* output, int N, int C, int H, int W,
                           int kernel_size, int stride, int padding) {
  const int out_H = (H + 2 * padding - kernel_size) / stride + 1;
  const int out_W = (W + 2 * padding - kernel_size) / stride + 1;
  const size_t inputs = (size_t)N * C * H * W, outputs = (size_t)N * C * out_H * out_W;
  start_kernel<<<(outputs - 1) / 256 + 1, 256>>>(output, outputs);
  scatter_kernel<<<(inputs - 1) / 256 + 1, 256>>>(input, output, inputs, H, W, out_H, out_W,
                                                  kernel_size, stride, padding);
}
